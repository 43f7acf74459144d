/* SPDX-License-Identifier: MIT */
/*
 * The paths are ld.so's; the collector resolves them. A build-id is read from memory, because the
 * file may have been replaced by the time somebody reads it.
 */
#include "preload/life/start_map.h"

#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/loaded.h"

#define COMMAND_BYTES_MAX 4096u /* limit of the collector for /proc/PID/cmdline */
#define VDSO "[vdso]"           /* its name in /proc/PID/maps */

struct sheet {
	char *room;
	size_t at;
	size_t program_bytes; /* length of the program's path */
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

/* Returns the length of the command line. */
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

/*
 * The program was started as `ld.so PROGRAM`. Then /proc/self/exe is ld.so, which is not loaded by
 * anything.
 */
static bool program_is_loader(void)
{
	return !getauxval(AT_BASE);
}

/*
 * The first module has no name: it is the program. A relative path is completed with the directory.
 */
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
	struct loaded_span place;
	const char *path, *build_id;
	size_t length;

	(void)bytes;
	if (!loaded_span(module, &place))
		return 0;
	span.start = place.start;
	span.end = place.end;
	span.bias = place.bias;
	length = module_path(sheet, module, span.start, &path);
	build_id = loaded_build_id(module, &span.build_id_bytes);
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

/* A name that does not fit is left out. */
static void put_started_as(struct region_start *start)
{
	const char *name = (const char *)(uintptr_t)getauxval(AT_EXECFN), *slash;

	slash = name ? strrchr(name, '/') : NULL;
	name = slash ? slash + 1 : name;
	if (name && strlen(name) < sizeof(start->started_as))
		strcpy(start->started_as, name);
}

void start_map_write(struct region_start *start)
{
	struct sheet sheet = { .room = start->room };
	long n = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", sheet.program,
			 sizeof(sheet.program) - 1);

	put_started_as(start);
	start->command_bytes = sheet_put_command(&sheet);
	if (n > 0) {
		sheet.program_bytes = (size_t)n;
		(void)dl_iterate_phdr(sheet_put_module, &sheet);
	}
	start->left_out = sheet.left_out;
	atomic_store_explicit(&start->bytes, (uint32_t)sheet.at, memory_order_release);
}
