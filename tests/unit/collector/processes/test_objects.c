/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * Which mappings are one loaded object: layouts of linkers, memory in the place of a file's, and
 * files that say nothing.
 */
#include "tests/unit/unit.h"
#include "collector/processes/objects.h"

static struct images_file file[3];
static struct images images;

static uint32_t recall(const void *context, const struct maps_line *line)
{
	(void)context;
	return line->inode == 1 || line->inode == 2 ? (uint32_t)line->inode : IMAGES_NONE;
}

/* File 1 as lld lays it out, with the text in the first page of the file; file 2 as bfd does. */
static int setup(void **state)
{
	file[0] = (struct images_file){
		.known = true,
		.image = { .segments = 4,
			   .segment = { { 0, 0, 0x6b8, false },
					{ 0x6c0, 0x16c0, 0x900, true },
					{ 0xfc0, 0x2fc0, 0x200, false },
					{ 0x11c0, 0x41c0, 0x5000, false } } },
	};
	file[1] = (struct images_file){
		.known = true,
		.image = { .lowest = 0x10000,
			   .segments = 3,
			   .segment = { { 0, 0x10000, 0x800, false },
					{ 0x1000, 0x11000, 0x3000, true },
					{ 0x4000, 0x214000, 0x800, false } } },
	};
	images = (struct images){ .file = file, .count = 2 };
	return 0;
}

static struct objects objects_in(const char *text)
{
	const struct objects_reading reading = { &images, 0, { 1, 9 }, recall, NULL };
	struct maps maps = { .bytes = strdup(text), .length = strlen(text) };
	struct objects objects = objects_of_maps(&maps, &reading, 1024);

	maps_release(&maps);
	return objects;
}

static void assert_object(const struct objects *objects, uint32_t at, uint64_t start, uint64_t end,
			  uint64_t bias)
{
	assert_in_range(at, 0, objects->count - 1);
	assert_int_equal(objects->object[at].start, start);
	assert_int_equal(objects->object[at].end, end);
	assert_int_equal(objects->object[at].bias, bias);
}

TEST_SET_UP(segments_that_share_a_page_are_one_object, setup)
{
	struct objects objects = objects_in("7000000-7001000 r--p 00000000 08:01 1 /a.so\n"
					    "7001000-7002000 r-xp 00000000 08:01 1 /a.so\n"
					    "7002000-7003000 r--p 00000000 08:01 1 /a.so\n"
					    "7004000-7005000 rw-p 00001000 08:01 1 /a.so\n"
					    "7005000-700a000 rw-p 00000000 00:00 0 \n");

	assert_int_equal(objects.count, 1);
	assert_object(&objects, 0, 0x7000000, 0x7005000, 0x7000000);
	assert_false(objects.has_region);
	objects_release(&objects);
}

TEST_SET_UP(the_same_file_twice_is_two_objects, setup)
{
	struct objects objects = objects_in("7000000-7002000 r--p 00000000 08:01 1 /a.so\n"
					    "7002000-7003000 r--p 00000000 08:01 1 /a.so\n"
					    "7003000-7004000 r-xp 00000000 08:01 1 /a.so\n"
					    "7004000-7005000 r--p 00000000 08:01 1 /a.so\n"
					    "7006000-7007000 rw-p 00001000 08:01 1 /a.so\n"
					    "7007000-700c000 rw-p 00000000 00:00 0 \n"
					    "700c000-700d000 r--p 00000000 08:01 1 /a.so\n"
					    "700d000-700e000 r-xp 00000000 08:01 1 /a.so\n");

	/* the first mapping is somebody's who reads the file */
	assert_int_equal(objects.count, 2);
	assert_object(&objects, 0, 0x7002000, 0x7007000, 0x7002000);
	assert_object(&objects, 1, 0x700c000, 0x700e000, 0x700c000);
	objects_release(&objects);
}

TEST_SET_UP(holes_and_code_on_large_pages_belong_to_it, setup)
{
	struct objects objects = objects_in("7010000-7011000 r--p 00000000 08:01 2 /b.so\n"
					    "7011000-7012000 r-xp 00001000 08:01 2 /b.so\n"
					    "7012000-7013000 r-xp 00000000 00:00 0 \n"
					    "7013000-7014000 r-xp 00003000 08:01 2 /b.so\n"
					    "7014000-7214000 ---p 00004000 08:01 2 /b.so\n"
					    "7214000-7215000 rw-p 00004000 08:01 2 /b.so\n"
					    "7300000-7301000 rw-s 00000000 00:01 9 /memfd:r\n");

	assert_int_equal(objects.count, 1);
	assert_object(&objects, 0, 0x7010000, 0x7215000, 0x7000000);
	assert_true(objects.has_region);
	objects_release(&objects);
}

TEST_SET_UP(code_between_segments_is_not_of_the_file, setup)
{
	struct objects objects = objects_in("7010000-7011000 r--p 00000000 08:01 2 /b.so\n"
					    "7011000-7014000 r-xp 00001000 08:01 2 /b.so\n"
					    "7014000-7016000 rwxp 00000000 00:00 0 \n"
					    "7214000-7215000 r-xp 00004000 08:01 2 /b.so\n");

	assert_int_equal(objects.count, 3);
	assert_object(&objects, 0, 0x7010000, 0x7014000, 0x7000000);
	assert_false(objects.object[1].file);
	assert_object(&objects, 2, 0x7214000, 0x7215000, 0x7000000);
	objects_release(&objects);
}

TEST_SET_UP(offsets_tell_of_files_that_say_nothing, setup)
{
	struct objects objects = objects_in("7000000-7001000 r--p 00000000 08:01 3 /c (deleted)\n"
					    "7001000-7002000 r-xp 00001000 08:01 3 /c (deleted)\n"
					    "7002000-7003000 r--p 00000000 08:01 3 /c (deleted)\n"
					    "7003000-7004000 r-xp 00001000 08:01 3 /c (deleted)\n"
					    "7004000-7005000 r-xp 00000000 00:00 0 [vdso]\n"
					    "nothing of sense\n"
					    "7005000-7004000 r-xp 00000000 08:01 3 /c\n");

	assert_int_equal(objects.count, 3);
	assert_object(&objects, 0, 0x7000000, 0x7002000, 0x7000000);
	assert_object(&objects, 1, 0x7002000, 0x7004000, 0x7002000);
	assert_object(&objects, 2, 0x7004000, 0x7005000, 0x7004000);
	objects_release(&objects);
}

/* Headers are what a file says: any number may stand there. */
TEST_SET_UP(hostile_headers_do_no_harm, setup)
{
	struct objects objects;

	file[0].image = (struct image){
		.lowest = UINT64_MAX - 4095,
		.segments = 3,
		.segment = { { UINT64_MAX, UINT64_MAX, UINT64_MAX, true },
			     { 0, UINT64_MAX - 10, UINT64_MAX, true },
			     { 1ull << 63, 1ull << 63, 0, false } },
	};
	objects = objects_in(
		"7000000-7001000 r--p 00000000 08:01 1 /a.so\n"
		"7001000-7002000 r-xp 00001000 08:01 1 /a.so\n"
		"fffffffffffff000-ffffffffffffffff r-xp 8000000000000000 08:01 1 /a.so\n");
	assert_in_range(objects.count, 1, 3);
	objects_release(&objects);
}
