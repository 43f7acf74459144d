/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/symbols/perf_map.c: the functions that a program has made at run time. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "report/symbols/perf_map.h"

#define MAP "perf.map"

static void write_map(const char *text, size_t length)
{
	FILE *file = fopen(MAP, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static struct perf_map *opened(uint64_t from_ns, uint64_t to_ns, enum perf_map_state wanted)
{
	enum perf_map_state state = PERF_MAP_MISSING;
	struct perf_map *map = perf_map_read(MAP, from_ns, to_ns, &state);

	assert_int_equal(state, wanted);
	assert_int_equal(map != NULL, wanted == PERF_MAP_FOUND);
	return map;
}

static void expect_function(const struct perf_map *map, uint64_t address, const char *name,
			    uint64_t offset)
{
	struct object_place place = { .frames = 0 };

	assert_int_equal(perf_map_find(map, address, &place), name != NULL);
	if (!name)
		return;
	assert_int_equal(place.frames, 1);
	assert_string_equal(place.frame[0].function, name);
	assert_int_equal(place.offset, offset);
}

TEST(functions_of_a_map)
{
	static const char text[] = "7f0000001000 100 py::f:/a b.py\n"
				   "7f0000002000 80 later\n"
				   "7f0000001040 10 within\n"
				   "7f0000001000 40 written again\n"
				   "ffffffffffffff00 ff end\n"
				   "not a line\n"
				   "\n"
				   "-5 10 negative\n"
				   "123 zz no number\n"
				   "99999999999999999 10 too large\n"
				   "5000 0 empty\n"
				   "6000 10 \n"
				   "7f0000003000 100 cut off";
	struct perf_map *map;

	write_map(text, sizeof(text) - 1);
	map = opened(0, UINT64_MAX, PERF_MAP_FOUND);
	expect_function(map, 0x7f0000001000, "written again", 0);
	expect_function(map, 0x7f000000103f, "written again", 0x3f);
	expect_function(map, 0x7f0000001048, "within", 8);
	expect_function(map, 0x7f00000010ff, "py::f:/a b.py", 0xff);
	expect_function(map, 0x7f0000001100, NULL, 0);
	expect_function(map, 0x7f0000000fff, NULL, 0);
	expect_function(map, 0x7f000000207f, "later", 0x7f);
	expect_function(map, 0xfffffffffffffffe, "end", 0xfe);
	expect_function(map, UINT64_MAX, NULL, 0);
	expect_function(map, 0x7f0000003000, NULL, 0);
	expect_function(map, 0x5000, NULL, 0);
	expect_function(map, 0, NULL, 0);
	perf_map_close(map);
	write_map("", 0);
	map = opened(0, UINT64_MAX, PERF_MAP_FOUND);
	expect_function(map, 0, NULL, 0);
	perf_map_close(map);
	write_map("1000 10 a\0b\n2000 10 c\n", 22); /* a zero ends the text */
	map = opened(0, UINT64_MAX, PERF_MAP_FOUND);
	expect_function(map, 0x2000, NULL, 0);
	perf_map_close(map);
	perf_map_close(NULL);
}

TEST(maps_that_are_not_the_process_own)
{
	const struct timespec times[] = { { 1000, 0 }, { 1000, 0 } };

	write_map("1000 10 a\n", 10);
	assert_int_equal(utimensat(AT_FDCWD, MAP, times, 0), 0);
	perf_map_close(opened(1000000000000, 1000000000000, PERF_MAP_FOUND));
	opened(1000000000001, UINT64_MAX, PERF_MAP_OTHER_TIME);
	opened(0, 999999999999, PERF_MAP_OTHER_TIME);
	assert_int_equal(truncate(MAP, PERF_MAP_BYTES_MAX + 1ll), 0);
	opened(0, UINT64_MAX, PERF_MAP_UNREADABLE);
	assert_int_equal(unlink(MAP), 0);
	opened(0, UINT64_MAX, PERF_MAP_MISSING);
	assert_int_equal(mkdir(MAP, 0700), 0);
	opened(0, UINT64_MAX, PERF_MAP_UNREADABLE);
	assert_int_equal(rmdir(MAP), 0);
	assert_int_equal(symlink("/etc/passwd", MAP), 0);
	opened(0, UINT64_MAX, PERF_MAP_UNREADABLE);
	unlink(MAP);
}
