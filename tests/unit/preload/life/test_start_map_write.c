/* SPDX-License-Identifier: MIT */
/* links: preload:life/start_map.c,base/loaded.c */
/*
 * preload/life/start_map.c: all modules of this process are left, whole, and those that find no
 * room are counted.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "preload/life/start_map.h"

#define FOLDERS 4 /* of 250 bytes: a few dozen paths are more than fits */
#define COPIES 48u

static struct region_start *start;
static char library[4096]; /* one that can be loaded again under another name */

static int count_module(struct dl_phdr_info *module, size_t bytes, void *argument)
{
	(void)bytes;
	if (strstr(module->dlpi_name, "libcmocka"))
		snprintf(library, sizeof(library), "%s", module->dlpi_name);
	++*(uint32_t *)argument;
	return 0;
}

static uint32_t modules_written(void)
{
	uint32_t count = 0, at = (start->command_bytes + 7) & ~7u;

	while (at < start->bytes) {
		struct region_start_module module;

		assert_true(start->bytes <= sizeof(start->room));
		memcpy(&module, start->room + at, sizeof(module));
		assert_true(module.start < module.end && module.path_bytes);
		at += (uint32_t)sizeof(module) + module.path_bytes + module.build_id_bytes;
		at = (at + 7) & ~7u;
		count++;
	}
	assert_int_equal(at, start->bytes);
	return count;
}

static int setup(void **state)
{
	start = calloc(1, sizeof(*start));
	return start ? 0 : -1;
}

static int teardown(void **state)
{
	free(start);
	return 0;
}

TEST_BOTH(all_modules_are_left, setup, teardown)
{
	static char *arguments[] = { "program", "a word", NULL };
	uint32_t count = 0;

	dl_iterate_phdr(count_module, &count);
	start_map_arguments(arguments);
	start_map_write(start);
	start_map_arguments(NULL);
	assert_int_equal(start->command_bytes, strlen("program a word"));
	assert_memory_equal(start->room, "program a word", start->command_bytes);
	assert_int_equal(modules_written(), count);
	assert_int_equal(start->left_out, 0);
}

TEST_BOTH(what_finds_no_room_is_counted, setup, teardown)
{
	char folder[1200] = "", command[8192];
	uint32_t count = 0;

	dl_iterate_phdr(count_module, &count);
	if (!library[0])
		skip();
	for (int i = 0; i < FOLDERS; i++)
		sprintf(folder + strlen(folder), "%s%0250d", i ? "/" : "", i);
	snprintf(command, sizeof(command), "mkdir -p %s", folder);
	assert_int_equal(system(command), 0);
	for (unsigned int i = 0; i < COPIES; i++) {
		char path[1300];

		snprintf(path, sizeof(path), "%s/%u.so", folder, i);
		snprintf(command, sizeof(command), "cp %s %s", library, path);
		assert_int_equal(system(command), 0);
		assert_non_null(dlopen(path, RTLD_NOW | RTLD_LOCAL));
	}
	start_map_write(start);
	assert_true(start->left_out > 0);
	assert_int_equal(modules_written() + start->left_out, count + COPIES);
	snprintf(command, sizeof(command), "rm -rf %0250d", 0);
	assert_int_equal(system(command), 0);
}
