/* SPDX-License-Identifier: MIT */
/* links: collector */
/*
 * collector/processes/start_map.c: what a process has left of its start is read, and nothing is
 * read beyond it, whatever its lengths say.
 */
#include "tests/unit/unit.h"
#include "collector/processes/start_map.h"

static const char command[] = "./leaves exit", path[] = "/usr/bin/leaves",
		  build_id[] = "\x12\x34\x56\x78\x9a";

static struct view view;
static struct region_start *start;
static struct start_map map;

static int setup(void **state)
{
	void *region = aligned_alloc(64, REGION_BYTES_MIN);

	if (!region || region_shape_of(REGION_BYTES_MIN, &view.shape))
		return -1;
	memset(region, 0, REGION_BYTES_MIN);
	view.header = region;
	start = region_start(region, &view.shape);
	return 0;
}

static int teardown(void **state)
{
	free(view.header);
	return 0;
}

static struct region_start_module *leave_module(uint32_t at)
{
	struct region_start_module *module = (void *)(start->room + at);

	*module = (struct region_start_module){ 0x1000, 0x5000, 0x800, sizeof(path) - 1,
						sizeof(build_id) - 1 };
	memcpy(module + 1, path, sizeof(path) - 1);
	memcpy((char *)(module + 1) + sizeof(path) - 1, build_id, sizeof(build_id) - 1);
	return module;
}

/* The command and two modules. */
static struct region_start_module *leave(void)
{
	const uint32_t first = 16, bytes = sizeof(struct region_start_module) + 24;
	struct region_start_module *module;

	memcpy(start->room, command, sizeof(command) - 1);
	start->command_bytes = sizeof(command) - 1;
	leave_module(first);
	module = leave_module(first + bytes);
	atomic_store(&start->bytes, first + 2 * bytes);
	return module;
}

static unsigned int modules_left(void)
{
	struct start_module module;
	unsigned int count = 0;

	if (!start_map_read(&map, &view))
		return 0;
	while (start_map_next(&map, &module)) {
		assert_true(module.path >= map.room &&
			    module.path + module.path_bytes <= map.room + map.bytes);
		assert_true((const char *)module.build_id + module.build_id_bytes <=
			    map.room + map.bytes);
		count++;
	}
	return count;
}

TEST_BOTH(nothing_is_left, setup, teardown)
{
	char text[64];

	assert_int_equal(modules_left(), 0);
	assert_int_equal(start_map_command(&view, text, sizeof(text)), 0);
	assert_int_equal(start_map_executable(&view, text, sizeof(text)), 0);
}

TEST_BOTH(what_is_left_is_read, setup, teardown)
{
	struct start_module module;
	char text[64];

	leave();
	assert_int_equal(modules_left(), 2);
	assert_int_equal(start_map_command(&view, text, sizeof(text)), sizeof(command) - 1);
	assert_memory_equal(text, command, sizeof(command) - 1);
	assert_int_equal(start_map_command(&view, text, 3), 3);
	assert_int_equal(start_map_executable(&view, text, sizeof(text)), sizeof(path) - 1);
	assert_memory_equal(text, path, sizeof(path) - 1);
	assert_int_equal(start_map_executable(&view, text, 3), 0);
	assert_true(start_map_read(&map, &view) && start_map_next(&map, &module));
	assert_int_equal(module.start, 0x1000);
	assert_int_equal(module.end, 0x5000);
	assert_int_equal(module.bias, 0x800);
	assert_int_equal(module.build_id_bytes, sizeof(build_id) - 1);
	assert_memory_equal(module.build_id, build_id, sizeof(build_id) - 1);
}

TEST_BOTH(what_found_no_room_is_known, setup, teardown)
{
	leave();
	start->left_out = 7;
	assert_true(start_map_read(&map, &view));
	assert_int_equal(map.left_out, 7);
}

TEST_BOTH(every_cut_ends_the_list, setup, teardown)
{
	uint32_t bytes;

	leave();
	bytes = start->bytes;
	for (uint32_t cut = 0; cut <= bytes; cut++) {
		atomic_store(&start->bytes, cut);
		assert_true(modules_left() <= 2);
	}
}

TEST_BOTH(lengths_that_cannot_be_end_the_list, setup, teardown)
{
	static const uint32_t wrong[] = { 1u << 15, 1u << 31, UINT32_MAX, UINT32_MAX - 7 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		leave()->path_bytes = wrong[i];
		assert_int_equal(modules_left(), 1);
		leave()->build_id_bytes = wrong[i];
		assert_int_equal(modules_left(), 1);
		leave();
		start->command_bytes = wrong[i];
		assert_int_equal(modules_left(), 0);
		leave();
		atomic_store(&start->bytes, wrong[i]);
		assert_int_equal(modules_left(), 0);
	}
	leave()->path_bytes = 0;
	assert_int_equal(modules_left(), 1);
	leave()->end = 0x1000;
	assert_int_equal(modules_left(), 1);
}
