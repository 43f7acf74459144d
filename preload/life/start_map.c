/* SPDX-License-Identifier: MIT */
/*
 * The paths are those that ld.so has; the collector finds out where they lead. A build-id is read in memory: a file may
 * be another one by the time that somebody looks.
 */
#include "preload/life/start_map.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE_MASK 4095ull
#define COMMAND_BYTES_MAX 4096u /* what the collector takes of /proc/PID/cmdline */
#define BUILD_ID_BYTES_MAX 64u
#define VDSO "[vdso]" /* as /proc/PID/maps has it */

struct sheet {
	char *room;
	size_t at;
	size_t program_bytes; /* of its path */
	uint32_t left_out;
	char program[REGION_PATH_BYTES];
};

static char **arguments;

void start_map_arguments(char **argv)
{
	arguments = argv;
}

static bool sheet_has(const struct sheet *sheet, size_t bytes)
{
	return sheet->at + bytes + 8 <= sizeof(((struct region_start *)0)->room);
}

static void sheet_put(struct sheet *sheet, const void *bytes, size_t length)
{
	memcpy(sheet->room + sheet->at, bytes, length);
	sheet->at += length;
}

static void sheet_align(struct sheet *sheet)
{
	sheet->at = (sheet->at + 7) & ~(size_t)7;
}

/* Its length. */
static uint32_t sheet_put_command(struct sheet *sheet)
{
	uint32_t length;

	for (char **word = arguments; word && *word; word++) {
		size_t bytes = strlen(*word);
		size_t left = COMMAND_BYTES_MAX - sheet->at;

		if (bytes + 1 > left)
			bytes = left ? left - 1 : 0;
		if (sheet->at && left)
			sheet->room[sheet->at++] = ' ';
		sheet_put(sheet, *word, bytes);
	}
	length = (uint32_t)sheet->at;
	sheet_align(sheet);
	return length;
}

/* Notes that no segment brings into memory are left alone. */
static bool segment_is_mapped(const struct dl_phdr_info *module, const Elf64_Phdr *notes)
{
	for (int i = 0; i < module->dlpi_phnum; i++) {
		const Elf64_Phdr *segment = &module->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_R &&
		    notes->p_vaddr >= segment->p_vaddr && notes->p_filesz <= segment->p_filesz &&
		    notes->p_vaddr - segment->p_vaddr <= segment->p_filesz - notes->p_filesz)
			return true;
	}
	return false;
}

/* Its bytes in memory, NULL when these notes have none. */
static const char *notes_find_build_id(const char *notes, size_t length, uint32_t *ret_bytes)
{
	Elf64_Nhdr note;

	for (size_t at = 0; length - at >= sizeof(note);) {
		size_t desc;

		memcpy(&note, notes + at, sizeof(note));
		desc = at + sizeof(note) + ((note.n_namesz + 3ull) & ~3ull);
		if (desc > length || note.n_descsz > length - desc)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    memcmp(notes + at + sizeof(note), ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0 &&
		    note.n_descsz <= BUILD_ID_BYTES_MAX) {
			*ret_bytes = note.n_descsz;
			return notes + desc;
		}
		at = desc + ((note.n_descsz + 3ull) & ~3ull);
		if (at > length)
			break;
	}
	return NULL;
}

static const char *module_build_id(const struct dl_phdr_info *module, uint32_t *ret_bytes)
{
	const char *found = NULL;

	*ret_bytes = 0;
	for (int i = 0; i < module->dlpi_phnum && !found; i++) {
		const Elf64_Phdr *notes = &module->dlpi_phdr[i];

		if (notes->p_type == PT_NOTE && segment_is_mapped(module, notes))
			found = notes_find_build_id(
				(const char *)(uintptr_t)(module->dlpi_addr + notes->p_vaddr),
				notes->p_filesz, ret_bytes);
	}
	return found;
}

/* False: there is no code in it. */
static bool module_span(const struct dl_phdr_info *module, struct region_start_module *span)
{
	uint64_t low = UINT64_MAX, high = 0;
	bool code = false;

	for (int i = 0; i < module->dlpi_phnum; i++) {
		const Elf64_Phdr *segment = &module->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD)
			continue;
		code |= (segment->p_flags & PF_X) != 0;
		if (segment->p_vaddr < low)
			low = segment->p_vaddr;
		if (segment->p_vaddr + segment->p_filesz > high)
			high = segment->p_vaddr + segment->p_filesz;
	}
	span->bias = module->dlpi_addr;
	span->start = module->dlpi_addr + (low & ~PAGE_MASK);
	span->end = module->dlpi_addr + ((high + PAGE_MASK) & ~PAGE_MASK);
	return code && span->start < span->end;
}

/* `ld.so PROGRAM`: then /proc/self/exe is ld.so, which nothing has loaded. */
static bool program_is_loader(void)
{
	return !getauxval(AT_BASE);
}

/* The first has no name: it is the program. A relative path gets the directory before it. */
static size_t module_path(struct sheet *sheet, const struct dl_phdr_info *module, uint64_t start,
			  const char **ret_path)
{
	bool first = sheet->program_bytes != 0;
	const char *name = module->dlpi_name;
	long n;

	*ret_path = sheet->program;
	if (first) {
		size_t bytes = sheet->program_bytes;

		sheet->program_bytes = 0;
		if (!program_is_loader())
			return bytes;
		name = arguments && arguments[0] && *arguments[0] ? arguments[0] : "?";
	}
	if (start == getauxval(AT_SYSINFO_EHDR))
		name = VDSO;
	*ret_path = name;
	if (name[0] == '/' || name[0] == '[' || !strchr(name, '/'))
		return strlen(name);
	n = syscall(SYS_getcwd, sheet->program, sizeof(sheet->program));
	if (n <= 0 || (size_t)n + strlen(name) >= sizeof(sheet->program))
		return strlen(name);
	sheet->program[n - 1] = '/';
	strcpy(sheet->program + n, name);
	*ret_path = sheet->program;
	return (size_t)n + strlen(name);
}

static int sheet_put_module(struct dl_phdr_info *module, size_t bytes, void *argument)
{
	struct sheet *sheet = argument;
	struct region_start_module span = { 0 };
	const char *path, *build_id;
	size_t length;

	(void)bytes;
	if (!module_span(module, &span))
		return 0;
	length = module_path(sheet, module, span.start, &path);
	build_id = module_build_id(module, &span.build_id_bytes);
	if (!length || !sheet_has(sheet, sizeof(span) + length + span.build_id_bytes)) {
		sheet->left_out++;
		return 0;
	}
	span.path_bytes = (uint32_t)length;
	sheet_put(sheet, &span, sizeof(span));
	sheet_put(sheet, path, length);
	if (build_id)
		sheet_put(sheet, build_id, span.build_id_bytes);
	sheet_align(sheet);
	return 0;
}

void start_map_write(struct region_start *start)
{
	struct sheet sheet = { .room = start->room };
	long n = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", sheet.program,
			 sizeof(sheet.program) - 1);

	start->command_bytes = sheet_put_command(&sheet);
	if (n > 0) {
		sheet.program_bytes = (size_t)n;
		(void)dl_iterate_phdr(sheet_put_module, &sheet);
	}
	start->left_out = sheet.left_out;
	atomic_store_explicit(&start->bytes, (uint32_t)sheet.at, memory_order_release);
}
