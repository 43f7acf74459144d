/* SPDX-License-Identifier: MIT */
/*
 * A recording in memory of four segments with heads, states, digests and an index. Each has a step
 * and an NVTX range; a longer one begins in the second segment and ends in the fourth.
 */
#ifndef TESTS_UNIT_SEGMENTED_H
#define TESTS_UNIT_SEGMENTED_H

#include "collector/format/segment.h"
#include "tests/unit/recording.h"

#define SEGMENTS 4u
#define S 1000000000ull

static struct recording recording;
static struct segment_entry entry[SEGMENTS]; /* `back`: where the segment begins */
static size_t segment_at[SEGMENTS + 1], digest_at[SEGMENTS + 1], index_at;

static inline void seek_put_string(uint64_t id, const char *text)
{
	FRAME_PUT(recording.fw, 0, string, .id = id,
		  .text = { (uint64_t)(uintptr_t)text, strlen(text) });
}

/* What a segment has of what digests have. */
static inline void seek_put_books(unsigned int number)
{
	frame_begin_block(recording.fw, 0);
	seek_put_string(1, "range");
	if (number == 1) {
		FRAME_PUT(recording.fw, 1, process, .process = 1, .pid = 77);
		FRAME_PUT(recording.fw, 2, thread, .stream = 1, .process = 1, .tid = 77);
	}
	frame_end_block(recording.fw);
	frame_begin_block(recording.fw, 1);
	FRAME_PUT(recording.fw, number * S + 1, step, .number = number, .name = 1);
	frame_end_block(recording.fw);
}

static inline void seek_put_digest(unsigned int number)
{
	size_t before = recording.seek_count, head, room;
	uint8_t bytes[SEGMENT_DIGEST_HEAD] = { 0 }, *moved;
	struct frame_image image;

	seek_put_books(number);
	frame_close(recording.fw,
		    (struct frame_info){ .sequence = number, .watermark_ns = (number + 1) * S },
		    &image);
	digest_at[number] = head = recording.length;
	recording_append(&recording, bytes, sizeof(bytes));
	recording_append_frame(&recording, image.bytes, image.length);
	recording.seek_count = before; /* it is in a skippable frame */
	room = recording.length - head - sizeof(bytes);
	moved = recording.bytes + head;
	segment_digest_write(moved, number, room);
}

static inline void seek_put_state(unsigned int number)
{
	struct frame_image image;

	frame_begin_block(recording.fw, 0);
	seek_put_string(1, "range");
	FRAME_PUT(recording.fw, 1, process, .process = 1, .pid = 77);
	FRAME_PUT(recording.fw, 2, thread, .stream = 1, .process = 1, .tid = 77);
	frame_end_block(recording.fw);
	frame_begin_block(recording.fw, 1);
	if (number > 2) /* by time in each block */
		FRAME_PUT(recording.fw, 2 * S + S / 2, nvtx_push, .name = 1);
	frame_end_block(recording.fw);
	frame_begin_block(recording.fw, 1);
	FRAME_PUT(recording.fw, number * S - S + 1, step, .number = number - 1, .name = 1);
	frame_end_block(recording.fw);
	frame_close(recording.fw,
		    (struct frame_info){ .sequence = number - 1, .watermark_ns = number * S },
		    &image);
	frame_image_set_tag(recording.fw, &image, FRAME_TAG_STATE);
	recording_append_frame(&recording, image.bytes, image.length);
}

static inline void seek_put_head(unsigned int number)
{
	uint8_t bytes[SEGMENT_HEAD_BYTES];

	recording_append(&recording, bytes, segment_head_write(bytes, &entry[number - 1].head));
}

/* A range that begins and ends; in the second segment one begins that ends in the fourth. */
static inline void seek_put_frame(unsigned int number)
{
	seek_put_books(number);
	frame_begin_block(recording.fw, 1);
	FRAME_PUT(recording.fw, number * S + 2, nvtx_push, .name = 1);
	FRAME_PUT(recording.fw, number * S + 3, nvtx_pop, .domain = 0);
	if (number == 2)
		FRAME_PUT(recording.fw, number * S + S / 2, nvtx_push, .name = 1);
	if (number == 4)
		FRAME_PUT(recording.fw, number * S + 5, nvtx_pop, .domain = 0);
	frame_end_block(recording.fw);
	recording_close_frame(&recording, (number + 1) * S);
}

static inline void seek_complete_heads(uint64_t end)
{
	for (unsigned int i = 0; i < SEGMENTS; i++) {
		uint64_t next = i + 1 < SEGMENTS ? segment_at[i + 2] : end;

		entry[i].back = segment_at[i + 1];
		entry[i].head.bytes = next - segment_at[i + 1];
		if (i)
			segment_head_write(recording.bytes + segment_at[i + 1], &entry[i].head);
	}
}

static inline void seek_put_index(const struct segment_entry *entries)
{
	uint8_t bytes[1024];
	struct segment_entry made[SEGMENTS];

	index_at = recording.length;
	for (unsigned int i = 0; i < SEGMENTS; i++) {
		made[i] = entries[i];
		made[i].back = index_at - entries[i].back;
	}
	recording_append(&recording, bytes, segment_index_write(bytes, made, SEGMENTS));
}

static inline void seek_make(void)
{
	struct file_header header = { .version = FILE_VERSION, .session = "seek" };

	recording_start(&recording, &header);
	for (unsigned int number = 1; number <= SEGMENTS; number++) {
		entry[number - 1].head = (struct segment_head){
			.number = number,
			.sequence = number - 1,
			.begin_ns = number > 1 ? number * S : 0,
			.frames = number - 1,
			.records = recording.records,
			.end_ns = (number + 1) * S,
			.own_frames = 1,
			.own_records = 4 + (number == 1 ? 2 : 0) + (number == 2 || number == 4),
			.families = 1ull << EVT_FAMILY_nvtx | 1ull << EVT_FAMILY_steps,
			.first_step = number == 2 ? 0 : number + 1,
			.last_step = number == 2 ? 0 : number + 1,
		};
		segment_at[number] = recording.length;
		if (number > 1) {
			seek_put_head(number);
			seek_put_digest(number - 1);
			seek_put_state(number);
		}
		seek_put_frame(number);
	}
	seek_complete_heads(recording.length);
	seek_put_digest(SEGMENTS);
	header.segment = segment_at[2];
	file_header_write(recording.bytes, &header);
}

#endif
