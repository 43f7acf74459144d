/* SPDX-License-Identifier: MIT */
/*
 * The symbols of one file of code. Symbols and units of DWARF are sorted once, because elfutils
 * searches all of them for each address, and finds no unit if the compiler has left out
 * .debug_aranges.
 */
#include "report/symbols/object.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/base/confine.h"
#include "report/base/map.h"
#include "report/base/memory.h"
#include "report/base/sorted.h"

#define BUILD_ID_HEX_MAX 128u
#define TYPES_MAX 64    /* limit for types and namespaces within each other */
#define SCOPES_MAX 4096 /* limit for scopes of code within each other */
#define MORE_INLINED "(more inlined functions)"
#define LOOKS_BACK 64u /* symbols before the address that are tried to find one that covers it */

struct function {
	uint64_t start, bytes; /* must be first: sorted_count_up_to() */
	uint64_t room; /* `bytes`; for a symbol without a size, up to the end of its section */
	const char *name;
	bool is_global;
};

/* In DWARF's addresses: the code of a unit, or of a function. */
struct code_range {
	uint64_t start, end; /* must be first: sorted_count_up_to() */
	Dwarf_Off die;
};

struct code_ranges {
	struct code_range *range; /* sorted when all have been added */
	size_t count, room;
};

struct object {
	Dwfl *dwfl;
	Dwfl_Module *module;
	uint64_t bias; /* libdwfl's addresses minus the file's */
	struct function *function;
	size_t functions, function_room;
	bool has_functions; /* they were looked for */
	struct code_ranges units;
	bool has_units; /* they were looked for */
	Dwarf *dwarf;   /* NULL: there is none */
	uint64_t dwarf_bias;
	struct map scoped;         /* from the offset of a unit + 1 to `scope` */
	struct code_ranges *scope; /* functions of the units that were needed */
	size_t scopes, scope_room;
	Dwarf_Die *around; /* scopes around the address that is looked up, outermost first */
	size_t around_room;
	struct map files; /* from the address of elfutils' name to the full name */
	struct text_store texts;
};

/* --- opening --- */

/* The kernel's own object, which has no path, as a file. */
static int open_vdso(void)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	int file = image ? memfd_create("vdso", MFD_CLOEXEC) : -1;
	Elf64_Ehdr head;
	size_t bytes;

	if (file < 0)
		return -1;
	memcpy(&head, image, sizeof(head));
	bytes = head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
	if (write(file, image, bytes) == (ssize_t)bytes)
		return file;
	close(file);
	return -1;
}

static int object_open_file(const char *path, enum object_state *ret_state)
{
	int file = !strcmp(path, OBJECT_VDSO)
			   ? open_vdso()
			   : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (file < 0) {
		*ret_state = errno == ENOENT || errno == ENOTDIR ? OBJECT_MISSING
								 : OBJECT_UNREADABLE;
		return -1;
	}
	if ((!strcmp(path, OBJECT_VDSO) || confine_allows(file)) && !fstat(file, &status) &&
	    S_ISREG(status.st_mode))
		return file;
	close(file);
	*ret_state = OBJECT_UNREADABLE;
	return -1;
}

static bool object_has_build_id(Dwfl_Module *module, const char *wanted)
{
	const unsigned char *bytes;
	char hex[BUILD_ID_HEX_MAX + 1] = "";
	GElf_Addr address;
	int length = dwfl_module_build_id(module, &bytes, &address);

	for (int i = 0; i < length && 2 * (size_t)i < BUILD_ID_HEX_MAX; i++)
		snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
	return !strcmp(hex, wanted);
}

/* On success libdwfl takes over the descriptor. */
static bool report_file(struct object *object, const char *path, int file)
{
	dwfl_report_begin(object->dwfl);
	object->module = dwfl_report_offline(object->dwfl, path, path, file);
	if (!object->module)
		close(file);
	return !dwfl_report_end(object->dwfl, NULL, NULL) && object->module;
}

/* Where only some files may be read, those that libdwfl would look for elsewhere may not be. */
static int object_find_debuginfo(Dwfl_Module *module, void **userdata, const char *name,
				 Dwarf_Addr base, const char *file, const char *link, GElf_Word sum,
				 char **ret_name)
{
	if (confine_is_on())
		return -1;
	return dwfl_standard_find_debuginfo(module, userdata, name, base, file, link, sum,
					    ret_name);
}

struct object *object_open(const char *path, const char *build_id, enum object_state *ret_state)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = object_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	struct object *object;
	GElf_Addr bias;
	int file = object_open_file(path, ret_state);

	if (file < 0)
		return NULL;
	object = memory_zero(1, sizeof(*object));
	map_init(&object->files);
	map_init(&object->scoped);
	object->dwfl = dwfl_begin(&callbacks);
	*ret_state = OBJECT_UNREADABLE;
	if (!object->dwfl)
		close(file);
	else if (report_file(object, path, file) && dwfl_module_getelf(object->module, &bias))
		*ret_state = object_has_build_id(object->module, build_id) ? OBJECT_FOUND
									   : OBJECT_OTHER_BUILD;
	if (*ret_state == OBJECT_FOUND) {
		object->bias = bias;
		return object;
	}
	object_close(object);
	return NULL;
}

const char *object_debug_link(struct object *object)
{
	GElf_Addr bias;
	GElf_Word checksum;
	Elf *elf = dwfl_module_getelf(object->module, &bias);
	const char *name = elf ? dwelf_elf_gnu_debuglink(elf, &checksum) : NULL;

	return name && !strchr(name, '/') ? name : "";
}

void object_close(struct object *object)
{
	if (!object)
		return;
	if (object->dwfl)
		dwfl_end(object->dwfl);
	free(object->function);
	free(object->units.range);
	for (size_t i = 0; i < object->scopes; i++)
		free(object->scope[i].range);
	free(object->scope);
	free(object->around);
	map_release(&object->scoped);
	map_release(&object->files);
	text_store_release(&object->texts);
	free(object);
}

/* --- symbols --- */

static bool is_executable(Elf *elf, size_t section)
{
	GElf_Shdr head;

	return gelf_getshdr(elf_getscn(elf, section), &head) && head.sh_flags & SHF_EXECINSTR;
}

/* Symbols without a type are labels of assembler, or of data. */
static bool is_code(const GElf_Sym *symbol, Elf *elf, size_t section)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	if (symbol->st_shndx == SHN_UNDEF)
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC ||
	       (type == STT_NOTYPE && is_executable(elf, section));
}

static int object_compare_functions(const void *a, const void *b)
{
	const struct function *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	if (left->bytes != right->bytes)
		return left->bytes < right->bytes ? -1 : 1;
	if (left->is_global != right->is_global)
		return left->is_global ? 1 : -1;
	return strcmp(right->name, left->name);
}

/*
 * A symbol without a size, from assembler, extends up to the next one, but not out of its section:
 * .plt follows .init.
 */
static uint64_t room_of(const GElf_Sym *symbol, Elf *elf, size_t section)
{
	GElf_Shdr head;

	if (symbol->st_size || !gelf_getshdr(elf_getscn(elf, section), &head) ||
	    symbol->st_value - head.sh_addr >= head.sh_size)
		return symbol->st_size;
	return head.sh_size - (symbol->st_value - head.sh_addr);
}

/*
 * Of several symbols at one address the last one is the best: with a size, global, the first by
 * name.
 */
static void read_functions(struct object *object)
{
	int count = dwfl_module_getsymtab(object->module);

	object->has_functions = true;
	for (int i = 0; i < count; i++) {
		struct function *function;
		GElf_Sym symbol;
		GElf_Addr start;
		GElf_Word section = 0;
		Elf *elf = NULL;
		const char *name = dwfl_module_getsym_info(object->module, i, &symbol, &start,
							   &section, &elf, NULL);

		if (!name || !name[0] || name[0] == '$' || !is_code(&symbol, elf, section))
			continue;
		object->function = memory_room(object->function, object->functions,
					       &object->function_room, sizeof(*object->function));
		function = &object->function[object->functions++];
		*function = (struct function){ start - object->bias, symbol.st_size,
					       room_of(&symbol, elf, section), name,
					       GELF_ST_BIND(symbol.st_info) != STB_LOCAL };
	}
	if (object->functions)
		qsort(object->function, object->functions, sizeof(*object->function),
		      object_compare_functions);
}

static const struct function *object_function_at(struct object *object, uint64_t address)
{
	size_t at, looked;

	if (!object->has_functions)
		read_functions(object);
	at = sorted_count_up_to(object->function, object->functions, sizeof(*object->function),
				address);
	for (looked = 0; looked < LOOKS_BACK && looked < at; looked++) {
		const struct function *function = &object->function[at - 1 - looked];

		if (address - function->start < function->bytes)
			return function;
		if (!function->bytes && !looked && address - function->start < function->room)
			return function;
	}
	return NULL;
}

/* --- DWARF --- */

static void add_ranges(struct code_ranges *ranges, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;

	while ((offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0) {
		if (start >= end)
			continue;
		ranges->range = memory_room(ranges->range, ranges->count, &ranges->room,
					    sizeof(*ranges->range));
		ranges->range[ranges->count++] = (struct code_range){ start, end,
								      dwarf_dieoffset(die) };
	}
}

static int compare_ranges(const void *a, const void *b)
{
	const struct code_range *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return left->die < right->die ? -1 : left->die > right->die;
}

static void sort_ranges(struct code_ranges *ranges)
{
	if (ranges->count)
		qsort(ranges->range, ranges->count, sizeof(*ranges->range), compare_ranges);
}

static void read_units(struct object *object)
{
	Dwarf_Off offset = 0, next;
	Dwarf_Addr bias = 0;
	size_t head;

	object->has_units = true;
	object->dwarf = dwfl_module_getdwarf(object->module, &bias);
	object->dwarf_bias = bias - object->bias;
	while (object->dwarf &&
	       !dwarf_nextcu(object->dwarf, offset, &next, &head, NULL, NULL, NULL)) {
		Dwarf_Die unit;

		if (dwarf_offdie(object->dwarf, offset + head, &unit))
			add_ranges(&object->units, &unit);
		offset = next;
	}
	sort_ranges(&object->units);
}

/* `address` is DWARF's. */
static bool unit_at(struct object *object, uint64_t address, Dwarf_Die *ret_unit)
{
	const struct code_range *range = object->units.range;
	size_t count = sorted_count_up_to(range, object->units.count, sizeof(*range), address);

	return count && address < range[count - 1].end &&
	       dwarf_offdie(object->dwarf, range[count - 1].die, ret_unit);
}

/*
 * Returns the unit that has the functions of `unit`: itself, or, with -gsplit-dwarf, a unit of a
 * .dwo file. elfutils finds that file and checks the id that the compiler gave both. False: the
 * file is missing.
 */
static bool full_unit_of(Dwarf_Die *unit, Dwarf_Die *ret_full)
{
	uint8_t type = 0;
	Dwarf_Die full = { .addr = NULL };

	*ret_full = *unit;
	if (dwarf_cu_info(unit->cu, NULL, &type, NULL, &full, NULL, NULL, NULL) ||
	    type != DW_UT_skeleton)
		return true;
	*ret_full = full;
	return full.addr != NULL;
}

/* Returns the next one in the file, so that this ends whatever a file contains. */
static bool sibling_of(Dwarf_Die *die)
{
	Dwarf_Off before = dwarf_dieoffset(die);

	return !dwarf_siblingof(die, die) && dwarf_dieoffset(die) > before;
}

/*
 * Functions are in namespaces, types and, in Fortran, in other functions. Declarations, and
 * functions that are always inlined, have no code.
 */
static void add_functions(struct code_ranges *ranges, Dwarf_Die *outer, unsigned int depth)
{
	Dwarf_Die die;

	if (depth == TYPES_MAX || dwarf_child(outer, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			add_ranges(ranges, &die);
			add_functions(ranges, &die, depth + 1);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
		case DW_TAG_enumeration_type:
			add_functions(ranges, &die, depth + 1);
			break;
		default:
			break;
		}
	} while (sibling_of(&die));
}

/*
 * Finds the unit's function with code at the address. `unit` is in the file itself, `full` has the
 * functions. elfutils would search the whole unit for each address.
 */
static bool function_die_at(struct object *object, Dwarf_Die *unit, Dwarf_Die *full,
			    uint64_t address, Dwarf_Die *ret_function)
{
	bool added;
	struct map_entry *entry = map_put(&object->scoped, dwarf_dieoffset(unit) + 1, &added);
	const struct code_ranges *ranges;
	size_t at;

	if (added) {
		object->scope = memory_room(object->scope, object->scopes, &object->scope_room,
					    sizeof(*object->scope));
		object->scope[object->scopes] = (struct code_ranges){ 0 };
		add_functions(&object->scope[object->scopes], full, 0);
		sort_ranges(&object->scope[object->scopes]);
		entry->value = object->scopes++;
	}
	ranges = &object->scope[entry->value];
	at = sorted_count_up_to(ranges->range, ranges->count, sizeof(*ranges->range), address);
	for (size_t looked = 0; looked < LOOKS_BACK && looked < at; looked++)
		if (address < ranges->range[at - 1 - looked].end)
			return dwarf_offdie(dwarf_cu_getdwarf(full->cu),
					    ranges->range[at - 1 - looked].die, ret_function);
	return false;
}

/*
 * Finds the block of code, or the inlined function, directly inside of `outer` that contains the
 * address.
 */
static bool scope_within(Dwarf_Die *outer, uint64_t address, Dwarf_Die *ret_inner)
{
	if (dwarf_child(outer, ret_inner))
		return false;
	do {
		int tag = dwarf_tag(ret_inner);

		if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
		     tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
		    dwarf_haspc(ret_inner, address) > 0)
			return true;
	} while (sibling_of(ret_inner));
	return false;
}

static const char *object_text_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

static const char *function_name_of(Dwarf_Die *die)
{
	const char *name = object_text_of(die, DW_AT_linkage_name);

	if (!name)
		name = object_text_of(die, DW_AT_MIPS_linkage_name);
	return name ? name : object_text_of(die, DW_AT_name);
}

static uint32_t object_number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value = 0;

	dwarf_formudata(dwarf_attr(die, name, &attribute), &value);
	return value <= UINT32_MAX ? (uint32_t)value : 0;
}

/* Sets where an inlined function is called. */
static void set_call(struct object_frame *frame, Dwarf_Die *unit, Dwarf_Die *inlined)
{
	Dwarf_Files *files;
	size_t count;
	uint32_t file = object_number_of(inlined, DW_AT_call_file);

	frame->line = object_number_of(inlined, DW_AT_call_line);
	frame->file = NULL;
	if (!dwarf_getsrcfiles(unit, &files, &count) && file < count)
		frame->file = dwarf_filesrc(files, file, NULL, NULL);
}

static void set_line(struct object_frame *frame, Dwarf_Die *unit, uint64_t address)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);
	int number;

	if (!line)
		return;
	frame->file = dwarf_linesrc(line, NULL, NULL);
	if (!dwarf_lineno(line, &number) && number > 0)
		frame->line = (uint32_t)number;
}

/*
 * Fortran's procedures have an underscore after the name that people know, and its program is
 * called MAIN__.
 */
static const char *name_of_fortran(const char *symbol, Dwarf_Die *unit, Dwarf_Die *function)
{
	uint32_t language = object_number_of(unit, DW_AT_language);
	const char *name = object_text_of(function, DW_AT_name);
	size_t length = name ? strlen(name) : 0;

	if (!length || (language != DW_LANG_Fortran77 && language != DW_LANG_Fortran90 &&
			language != DW_LANG_Fortran95 && language != DW_LANG_Fortran03 &&
			language != DW_LANG_Fortran08))
		return symbol;
	if (!strcmp(symbol, "MAIN__") || (!strncmp(symbol, name, length) && symbol[length] == '_' &&
					  strspn(symbol + length, "_") == strlen(symbol + length)))
		return name;
	return symbol;
}

/*
 * If there are more functions than room, the innermost are kept, and the outermost, which contains
 * them all.
 */
static void add_outer(struct object_place *place, Dwarf_Die *unit, Dwarf_Die *inlined)
{
	struct object_frame *frame = &place->frame[place->frames - 1];

	if (place->frames == OBJECT_INLINED_MAX) {
		frame[-1] = (struct object_frame){ .function = MORE_INLINED };
		set_call(frame, unit, inlined);
		return;
	}
	frame[1] = (struct object_frame){ .function = frame->function };
	frame->function = function_name_of(inlined);
	set_call(&frame[1], unit, inlined);
	place->frames++;
}

/*
 * The `scopes` around the address, outermost first, become frames, innermost first. The outermost
 * keeps the symbol's name, if there is one.
 */
static void set_functions(struct object_place *place, Dwarf_Die *unit, Dwarf_Die *scopes,
			  size_t count)
{
	for (size_t i = count; i-- > 0;) {
		struct object_frame *frame = &place->frame[place->frames - 1];
		int tag = dwarf_tag(&scopes[i]);

		if (tag == DW_TAG_subprogram) {
			frame->function = frame->function ? name_of_fortran(frame->function, unit,
									    &scopes[i])
							  : function_name_of(&scopes[i]);
			return;
		}
		if (tag == DW_TAG_inlined_subroutine)
			add_outer(place, unit, &scopes[i]);
	}
}

/*
 * For DWARF 4 elfutils puts the compiler's directory before a relative name; for DWARF 5 it does
 * not.
 */
static const char *whole_name(struct object *object, Dwarf_Die *unit, const char *name)
{
	const char *folder = name && *name != '/' ? object_text_of(unit, DW_AT_comp_dir) : NULL;
	struct map_entry *entry;
	bool added;

	if (!folder || *folder != '/')
		return name;
	entry = map_put(&object->files, (uintptr_t)name, &added);
	if (added)
		entry->value = (uintptr_t)text_store_format(&object->texts, "%s/%s", folder, name);
	return (const char *)(uintptr_t)entry->value;
}

/*
 * Fills object->around and returns the number; SCOPES_MAX if the innermost scope was not reached.
 */
static size_t find_scopes(struct object *object, Dwarf_Die *unit, Dwarf_Die *full, uint64_t address)
{
	Dwarf_Die scope, inner;
	size_t count = 0;

	if (!function_die_at(object, unit, full, address, &scope))
		return 0;
	while (count < SCOPES_MAX) {
		object->around = memory_room(object->around, count, &object->around_room,
					     sizeof(*object->around));
		object->around[count++] = scope;
		if (!scope_within(&scope, address, &inner))
			break;
		scope = inner;
	}
	return count;
}

static void find_source(struct object *object, uint64_t address, struct object_place *place)
{
	Dwarf_Die unit, full;
	size_t count;

	if (!object->has_units)
		read_units(object);
	address -= object->dwarf_bias;
	if (!object->dwarf || !unit_at(object, address, &unit))
		return;
	place->is_split = !full_unit_of(&unit, &full);
	if (place->is_split)
		return; /* the line may belong to an inlined function and not to the symbol's */
	count = find_scopes(object, &unit, &full, address);
	if (count == SCOPES_MAX)
		return; /* as above */
	place->frames = place->frames ? place->frames : 1;
	set_line(&place->frame[0], &unit, address);
	set_functions(place, &full, object->around, count);
	for (size_t i = 0; i < place->frames; i++)
		place->frame[i].file = whole_name(object, &unit, place->frame[i].file);
}

void object_find(struct object *object, uint64_t address, struct object_place *ret_place)
{
	const struct function *function = object_function_at(object, address);

	*ret_place = (struct object_place){ .offset = UINT64_MAX };
	if (function) {
		ret_place->frames = 1;
		ret_place->frame[0].function = function->name;
		ret_place->offset = address - function->start;
	}
	find_source(object, address, ret_place);
}
