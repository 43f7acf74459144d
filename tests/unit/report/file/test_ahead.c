/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * Frames decoded ahead by other threads: the same frames, events and faults as without, whatever is
 * wrong with the file. Best run under the thread sanitiser too.
 */
#include <stdio.h>

#include "tests/unit/unit.h"
#include "collector/format/error.h"
#include "report/base/workers.h"
#include "tests/unit/recording.h"
#include "report/file/reader.h"

#define FRAMES 24u

/* All that a reader said, as one text and one sum. */
struct story {
	char text[20000];
	size_t length;
	uint64_t sum;
};

static void story_add(void *context, uint64_t offset, int error, const char *text)
{
	struct story *story = context;

	story->length += (size_t)snprintf(story->text + story->length,
					  sizeof(story->text) - story->length, "%llu %d %s\n",
					  (unsigned long long)offset, error, text);
	assert_true(story->length < sizeof(story->text));
}

static void story_add_frame(struct story *story, const struct reader_frame *frame)
{
	for (size_t i = 0; i < frame->block_count; i++) {
		for (uint32_t j = 0; j < frame->block[i].count; j++) {
			const struct event_block *block = &frame->block[i];
			const struct event *event = &block->event[j];

			story->sum = story->sum * 31 + event->time_ns + event->id;
			for (uint32_t at = block->stack ? block->stack[event->kind] : 0; at;
			     at = block->node[at].parent)
				story->sum = story->sum * 31 + block->node[at].address;
			for (unsigned int k = 0; k < event->words && event->id != EVT_string; k++)
				story->sum = story->sum * 31 + event->value[k];
		}
	}
	story_add(story, frame->offset, (int)frame->info.sequence, "frame");
}

static void story_read(struct story *story, const struct bytes *bytes, struct workers *workers)
{
	const struct reader_listener listener = { story_add, story, NULL };
	struct reader_frame frame;
	struct reader *reader;
	int error;

	*story = (struct story){ .length = 0 };
	error = reader_open(&reader, bytes, false, &listener);
	if (!error && workers)
		reader_work_with(reader, workers);
	while (!error) {
		error = reader_next(reader, &frame);
		if (!error)
			story_add_frame(story, &frame);
	}
	story_add(story, 0, error, "end");
	if (error == EVT_END) {
		story->sum += reader_facts(reader)->records;
		reader_close(reader);
	}
}

static void make_recording(struct recording *r)
{
	static const struct file_header header = { .version = FILE_VERSION, .session = "ahead" };
	uint64_t chain = 0;

	recording_start(r, &header);
	for (uint64_t i = 0; i < FRAMES; i++) {
		frame_begin_block(r->fw, 0);
		FRAME_PUT(r->fw, i, string, .id = i + 1,
			  .text = { (uint64_t)(uintptr_t) "a name", 6 });
		frame_end_block(r->fw);
		chain = recording_stack(r, i % 7 ? chain : 0, 0x1000 + i, 0);
		frame_begin_block(r->fw, 1);
		for (uint64_t j = 0; j < 200 + 100 * (i % 5); j++)
			frame_put_born(r->fw, EVT_malloc, i * 1000 + j, 4096 + 16 * j * j, j,
				       j % 3 ? j % 7
					     : STACK_WORD | recording_stack(r, chain, j % 40, 0));
		frame_end_block(r->fw);
		recording_close_frame(r, (i + 1) * 1000);
	}
	recording_finish(r, FRAMES * 1000);
}

static struct workers *need_workers(void)
{
	struct workers *workers = workers_new();

	if (!workers)
		skip(); /* one core */
	return workers;
}

static void compare(const void *memory, size_t length, struct workers *workers)
{
	static struct story alone, with;
	struct bytes bytes = bytes_of(memory, length);

	story_read(&alone, &bytes, NULL);
	story_read(&with, &bytes, workers);
	assert_string_equal(with.text, alone.text);
	assert_true(with.sum == alone.sum);
}

TEST(whole_and_damaged_files_read_the_same)
{
	struct workers *workers = need_workers();
	struct recording r;
	uint64_t seed = 5;

	make_recording(&r);
	compare(r.bytes, r.length, workers);
	for (int i = 0; i < 150; i++) {
		size_t at, length = 1 + (seed >> 40) % 40;

		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		at = (seed >> 33) % r.length;
		for (size_t j = at; j < at + length && j < r.length; j++)
			r.bytes[j] ^= 0x5a;
		compare(r.bytes, i % 3 ? r.length : r.length - at / 2, workers);
		for (size_t j = at; j < at + length && j < r.length; j++)
			r.bytes[j] ^= 0x5a;
	}
	recording_release(&r);
	workers_free(workers);
}

/* Closed while frames are at work. */
TEST(may_be_closed_at_any_time)
{
	const struct reader_listener listener = { story_add, &(struct story){ .length = 0 }, NULL };
	struct workers *workers = need_workers();
	struct recording r;

	make_recording(&r);
	for (unsigned int frames = 0; frames < 8; frames++) {
		struct bytes bytes = bytes_of(r.bytes, r.length);
		struct reader_frame frame;
		struct reader *reader;

		assert_int_equal(reader_open(&reader, &bytes, false, &listener), 0);
		reader_work_with(reader, workers);
		for (unsigned int i = 0; i < frames; i++)
			assert_int_equal(reader_next(reader, &frame), 0);
		reader_close(reader);
	}
	recording_release(&r);
	workers_free(workers);
}

/* Damage inside the content: the frame verifies, a block of it does not. */
TEST(bad_blocks_are_told_as_before)
{
	struct workers *workers = need_workers();
	static const struct file_header header = { .version = FILE_VERSION, .session = "ahead" };
	struct recording r;

	recording_start(&r, &header);
	for (uint64_t i = 0; i < 8; i++) {
		struct frame_image image;
		uint8_t *bytes;

		frame_begin_block(r.fw, 1);
		for (uint64_t j = 0; j < 50; j++)
			frame_put_born(r.fw, EVT_malloc, j, 16 * j, j, 1);
		frame_end_block(r.fw);
		frame_close(r.fw, (struct frame_info){ .sequence = i + 1 }, &image);
		bytes = malloc(image.length);
		memcpy(bytes, image.bytes, image.length);
		if (i % 3 == 1)
			bytes[image.length - 60] ^= 0x80; /* a size becomes longer */
		if (i == 6)
			bytes[48] ^= 1; /* the number of records */
		recording_append_frame(&r, bytes, image.length);
		free(bytes);
	}
	r.sequence = 8;
	r.records = 400;
	recording_finish(&r, 50);
	compare(r.bytes, r.length, workers);
	recording_release(&r);
	workers_free(workers);
}
