/* SPDX-License-Identifier: MIT */
/* links: collector */
/* collector/output/segments.c: the seek table has the frames that are on disk. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <unistd.h>

#include "collector/format/error.h"
#include "collector/output/output.h"

static struct output output;

static void write_frame(size_t bytes)
{
	uint8_t *noise = malloc(bytes);
	uint64_t seed = bytes;

	for (size_t i = 0; i < bytes; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		noise[i] = (uint8_t)(seed >> 56);
	}
	assert_int_equal(output_write_frame(
				 &output, &(struct frame_image){ .bytes = noise, .length = bytes },
				 1, false),
			 EVT_OK);
	free(noise);
}

static void begin_segment(void)
{
	static const uint8_t state[16];
	const struct segment_head end = { .own_frames = 1 }, next = { .begin_ns = 1 };
	const struct output_digest digest = { NULL, 0 };

	assert_int_equal(output_begin_segment(
				 &output, &end, &next, 0, &digest,
				 &(struct frame_image){ .bytes = state, .length = sizeof(state) }),
			 EVT_OK);
}

/* A page of each segment that is given back stays on disk: all of one that has no more. */
TEST(a_segment_of_one_page_is_given_back)
{
	const struct file_header header = { .version = FILE_VERSION, .clock = 1 };
	char path[] = "/tmp/intercept-unit-XXXXXX";
	int fd = mkstemp(path);
	size_t all;

	unlink(path);
	assert_int_equal(output_init(&output, fd, 0, &header), EVT_OK);
	assert_int_equal(output_keep_last(&output, &(struct keep_last){ .steps = 1 }), EVT_OK);
	if (!output.segments.gives_back)
		skip(); /* the file system cannot */
	write_frame(100);
	begin_segment();
	write_frame(100000);
	begin_segment();
	assert_int_equal(output.segments.segment[0].head.bytes, SEGMENT_PAGE);
	all = output.seek_count; /* the schema, two of them, and two states */
	assert_int_equal(all, 5);
	assert_true(output_give_back(&output));
	assert_int_equal(output.seek_count, all - 1);
	assert_true(output_give_back(&output));
	assert_int_equal(output.seek_count, all - 3);
	assert_false(output_give_back(&output)); /* the open one stays */
	output_release(&output);
}
