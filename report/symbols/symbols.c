/* SPDX-License-Identifier: MIT */
/*
 * Which function and line a return address belongs to. Names are demangled and shortened once,
 * places are looked up once.
 */
#include "report/symbols/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/format/frame_flags.h"
#include "report/base/symbol.h"
#include "report/base/text.h"
#include "report/base/vast.h"

/* The forms of a name: many addresses are in one function, and demangling is slow. */
struct symbols_name {
	const char *function, *brief, *plain, *exact; /* as in struct symbol */
	uint64_t function_hash;
};

uint64_t symbols_hash(const char *text)
{
	return map_hash_bytes(text ? text : "", text ? strlen(text) : 0, 0);
}

/* What is known of an address: a slice of symbols.frame. */
struct symbols_place {
	size_t first, count;
};

void symbols_init(struct symbols *symbols, const struct source *source, enum symbol_form form)
{
	*symbols = (struct symbols){ .form = form, .found = places_hold(source) };
	places_missed_init(&symbols->missed);
	map_init(&symbols->files);
	map_init(&symbols->names);
	map_init(&symbols->places);
}

void symbols_release(struct symbols *symbols)
{
	places_drop(symbols->found);
	places_missed_release(&symbols->missed);
	map_release(&symbols->files);
	free(symbols->name);
	vast_release(symbols->place, symbols->place_room, sizeof(*symbols->place));
	vast_release(symbols->frame, symbols->frame_room, sizeof(*symbols->frame));
	map_release(&symbols->names);
	map_release(&symbols->places);
	demangler_release(&symbols->demangler);
	text_store_release(&symbols->texts);
}

/*
 * Length up to the suffix that a compiler appends for a part or a copy of a function, or a linker:
 * the version.
 */
static size_t length_without_suffix(const char *function)
{
	static const char *const suffixes[] = { ".constprop.", ".isra.", ".part.", ".cold",
						".lto_priv.",  ".llvm.", "@",      NULL };
	size_t length = strlen(function);

	for (const char *const *suffix = suffixes; *suffix; suffix++) {
		const char *found = strstr(function, *suffix);

		if (found && found > function && (size_t)(found - function) < length)
			length = (size_t)(found - function);
	}
	return length;
}

/*
 * The part that only the compiler's name has and that distinguishes functions, "": none. It is the
 * hash of an older Rust name, which stands for its type arguments, or the number that a linker gave
 * to a file-local function when it joined all files.
 */
static const char *distinction_of(const char *function, size_t *ret_length)
{
	static const char *const numbers[] = { ".lto_priv.", ".llvm.", NULL };
	size_t length = length_without_suffix(function);
	const char *found;

	for (const char *const *number = numbers; *number; number++) {
		found = strstr(function, *number);
		if (found && found > function) {
			*ret_length = strcspn(found + strlen(*number), ".") + strlen(*number) - 1;
			return found + 1;
		}
	}
	if (demangle_is_rust(function, length) && function[1] == 'Z') {
		*ret_length = DEMANGLE_RUST_HASH;
		return function + length - 1 - DEMANGLE_RUST_HASH;
	}
	*ret_length = 0;
	return "";
}

/* `full`: demangled with its parameters, NULL: it is no mangled name. */
static const char *make_exact(struct symbols *symbols, const char *function, const char *full)
{
	size_t length, plain = length_without_suffix(function);
	const char *distinction = distinction_of(function, &length);

	if (!full)
		full = text_store_put(&symbols->texts, function, plain);
	return length ? text_store_format(&symbols->texts, "%s [%.*s]", full, (int)length,
					  distinction)
		      : full;
}

/* Makes the function's names in the requested form. */
static struct symbols_name make_name(struct symbols *symbols, const char *function)
{
	struct symbols_name name = { .function_hash = 0 };
	bool is_mangled = symbols->form == SYMBOLS_MANGLED;
	size_t bare = length_without_suffix(function);
	size_t length = is_mangled ? strlen(function) : bare;
	const char *full = demangle(&symbols->demangler, function, bare, true), *brief = NULL;

	name.plain = demangle(&symbols->demangler, function, bare, false);
	if (is_mangled)
		full = NULL;
	else
		brief = name.plain;
	name.exact = is_mangled ? NULL : make_exact(symbols, function, full);
	name.function = full ? full : text_store_put(&symbols->texts, function, length);
	name.exact = is_mangled ? name.function : name.exact;
	name.brief = brief ? brief : name.function;
	name.plain = name.plain ? name.plain : name.function;
	if (!brief || symbols->form != SYMBOLS_SHORT)
		return name;
	brief = symbol_base(brief, strlen(brief), &length);
	name.function = name.brief = text_store_put(&symbols->texts, brief, length);
	return name;
}

static void set_name(struct symbols *symbols, struct symbol *symbol, const char *function)
{
	bool added;
	struct map_entry *entry = map_put(&symbols->names,
					  map_hash_bytes(function, strlen(function), 0), &added);
	const struct symbols_name *name;

	if (added) {
		struct symbols_name made = make_name(symbols, function);

		made.function_hash = symbols_hash(made.exact);
		symbols->name = memory_room(symbols->name, symbols->names_count,
					    &symbols->name_room, sizeof(*symbols->name));
		symbols->name[symbols->names_count] = made;
		entry->value = symbols->names_count++;
	}
	name = &symbols->name[entry->value];
	symbol->function = name->function;
	symbol->function_hash = name->function_hash;
	symbol->brief = name->brief;
	symbol->plain = name->plain;
	symbol->exact = name->exact;
}

static const char *symbols_file_name(const char *path)
{
	const char *name = strrchr(path, '/');

	return name && name[1] ? name + 1 : path;
}

static struct symbol *symbols_add_frame(struct symbols *symbols, const struct symbol *frame)
{
	symbols->frame = vast_room(symbols->frame, symbols->frames_count, &symbols->frame_room,
				   sizeof(*symbols->frame));
	symbols->frame[symbols->frames_count] = *frame;
	return &symbols->frame[symbols->frames_count++];
}

/* Many addresses are in few files. */
static const char *symbols_file_text(struct symbols *symbols, const char *file)
{
	size_t length = strlen(file);
	bool added;
	struct map_entry *entry = map_put(&symbols->files, map_hash_bytes(file, length, 0), &added);

	if (added)
		entry->value = (uintptr_t)text_store_put(&symbols->texts, file, length);
	return (const char *)entry->value;
}

static void set_frame(struct symbols *symbols, struct symbol *symbol,
		      const struct object_frame *frame)
{
	if (frame->function)
		set_name(symbols, symbol, frame->function);
	if (frame->file)
		symbol->file = symbols_file_text(symbols, frame->file);
	symbol->line = frame->line;
}

/*
 * Adds what is known of the address, if anything. `before`: how many bytes the address is after the
 * one that is looked up.
 */
static void symbols_look_up(struct symbols *symbols, const struct source_process *process,
			    const struct source_module *module, const struct symbol *unknown,
			    uint64_t before)
{
	struct object_place place;

	places_find(symbols->found, process, module, unknown->address - before, &symbols->missed,
		    &place);
	for (size_t i = 0; i < place.frames; i++) {
		struct symbol *symbol = symbols_add_frame(symbols, unknown);

		set_frame(symbols, symbol, &place.frame[i]);
		symbol->is_inlined = i + 1 < place.frames;
		if (!symbol->is_inlined && place.offset != UINT64_MAX)
			symbol->offset = place.offset + before;
	}
}

/*
 * Equal names have equal addresses, so these identify modules. A module without build-id may be
 * memory.
 */
static uint64_t symbols_key_of(const struct source_process *process,
			       const struct source_module *module, uint64_t address,
			       uint64_t before)
{
	bool is_build = module && *source_name_text(module->build_id);
	uint64_t words[] = { module ? (uintptr_t)module->path : 0,
			     is_build ? (uintptr_t)module->build_id : (uintptr_t)process, address,
			     before };

	return map_hash_bytes(words, sizeof(words), 0);
}

/* `module`: the one that contains the address, NULL: none. */
static const struct symbols_place *symbols_place_of(struct symbols *symbols,
						    const struct source_process *process,
						    const struct source_module *module,
						    uint64_t address, uint64_t before)
{
	struct symbol unknown = { .offset = UINT64_MAX,
				  .address = module ? address - module->bias : address };
	struct symbols_place *place;
	struct map_entry *entry;
	bool added;

	entry = map_put(&symbols->places, symbols_key_of(process, module, unknown.address, before),
			&added);
	if (!added)
		return &symbols->place[entry->value];
	entry->value = symbols->places_count;
	symbols->place = vast_room(symbols->place, symbols->places_count, &symbols->place_room,
				   sizeof(*symbols->place));
	place = &symbols->place[symbols->places_count++];
	place->first = symbols->frames_count;
	if (module) {
		unknown.path = source_name_text(module->path);
		unknown.module = symbols_file_name(unknown.path);
	}
	if (!symbols->is_off)
		symbols_look_up(symbols, process, module, &unknown, before);
	if (symbols->frames_count == place->first)
		symbols_add_frame(symbols, &unknown);
	place->count = symbols->frames_count - place->first;
	return place;
}

/* Python's own names need no module. */
static struct symbol python_symbol(const struct source_process *process, uint64_t address)
{
	const struct source_python_line *line = source_python_line(process, address);
	struct symbol symbol = { .offset = UINT64_MAX, .address = address, .is_python = true };

	symbol.function = line ? source_name_text(line->function) : "(Python, its name is lost)";
	symbol.brief = symbol.function;
	if (line) {
		symbol.file = source_name_text(line->file);
		symbol.line = line->line;
	}
	return symbol;
}

size_t symbols_frames_of(struct symbols *symbols, const struct source_process *process,
			 uint64_t address, uint32_t flags, uint64_t time_ns,
			 struct symbol *ret_frames, size_t room)
{
	const struct symbols_place *place;
	size_t count;

	if (!room)
		return 0;
	if (!process || !address) {
		*ret_frames = (struct symbol){ .offset = UINT64_MAX, .address = address };
		return 1;
	}
	if (address & PYTHON_LINE_BIT && address >> 56 == 0) {
		*ret_frames = python_symbol(process, address);
		return 1;
	}
	place = symbols_place_of(symbols, process, caller_module(process, address, time_ns),
				 address, flags & FRAME_IS_EXACT ? 0 : 1);
	count = place->count < room ? place->count : room;
	memcpy(ret_frames, &symbols->frame[place->first], count * sizeof(*ret_frames));
	return count;
}

const struct symbol *symbols_of_call(struct symbols *symbols, const struct source_process *process,
				     uint64_t address, uint64_t time_ns)
{
	symbols_frames_of(symbols, process, address, 0, time_ns, &symbols->call, 1);
	return &symbols->call;
}

const char *symbols_text(struct symbols *symbols, const struct symbol *symbol)
{
	if (!symbol->function)
		return NULL;
	if (symbol->file && symbol->line)
		return text_store_format(&symbols->texts, "%s (%s:%" PRIu32 ")", symbol->brief,
					 symbols_file_name(symbol->file), symbol->line);
	if (symbol->offset == UINT64_MAX)
		return symbol->brief;
	return text_store_format(&symbols->texts, "%s+0x%" PRIx64, symbol->brief, symbol->offset);
}

const char *symbols_missing(const struct symbols *symbols, struct symbols_missing *missing)
{
	places_missing(symbols->found, &symbols->missed, missing->text, sizeof(missing->text));
	return missing->text;
}

const char *symbols_bare(const struct symbols *symbols, struct symbols_missing *missing)
{
	const struct places_missed *missed = &symbols->missed;
	char more[48] = "";

	missing->text[0] = '\0';
	if (missed->bare > 1)
		snprintf(more, sizeof(more), " and %zu more", missed->bare - 1);
	if (missed->bare)
		snprintf(missing->text, sizeof(missing->text),
			 "no names in process %" PRIu32 "%s: which files it had mapped is not in "
			 "the recording; it was over too soon, or /proc did not say",
			 missed->bare_pid, more);
	return missing->text;
}

const char *symbols_nameless(const struct symbols *symbols, struct symbols_missing *missing)
{
	const struct places_missed *missed = &symbols->missed;
	const char *name = places_nameless(symbols->found, missed);
	char shown[96];

	missing->text[0] = '\0';
	if (!name)
		return missing->text;
	text_escape(shown, sizeof(shown), name, strlen(name));
	snprintf(missing->text, sizeof(missing->text),
		 "%zu of %zu places have no function, most of them in %s: its symbols are not on "
		 "this machine; install its debug symbols (on Debian a package -dbgsym), or set "
		 "DEBUGINFOD_URLS",
		 missed->nameless, missed->asked, shown);
	return missing->text;
}
