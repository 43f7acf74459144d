/* SPDX-License-Identifier: MIT */
/*
 * A writer, a reader and frames between them, for tests of the format.
 */
#ifndef TESTS_UNIT_FRAME_FIXTURE_H
#define TESTS_UNIT_FRAME_FIXTURE_H

#include "tests/unit/unit.h"
#include "collector/format/block.h"
#include "collector/format/error.h"

static const uint64_t edges[] = { 0, 1, 127, 128, 1ull << 32, UINT64_MAX };
#define EDGES (sizeof(edges) / sizeof(edges[0]))

struct fixture {
	struct schema schema;
	struct frame_writer *writer;
	struct frame_reader *reader;
};

static inline int fixture_new(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	static uint8_t bytes[SCHEMA_BYTES_MAX];
	size_t length = schema_write(bytes, sizeof(bytes));

	if (!f || length == 0 || schema_read(&f->schema, bytes, length) != 0)
		return -1;
	f->writer = frame_writer_new();
	f->reader = frame_reader_new(&f->schema);
	*state = f;
	return f->writer && f->reader ? 0 : -1;
}

static inline int fixture_free(void **state)
{
	struct fixture *f = *state;

	frame_reader_free(f->reader);
	frame_writer_free(f->writer);
	schema_release(&f->schema);
	free(f);
	return 0;
}

static inline struct frame_image close_frame(struct fixture *f)
{
	struct frame_image image;

	assert_int_equal(frame_end_block(f->writer), 0);
	assert_int_equal(frame_close(f->writer, (struct frame_info){ .sequence = 9 }, &image), 0);
	return image;
}

/* The only block of the frame. */
static inline struct event_block read_block(struct fixture *f, struct frame_image image)
{
	struct frame_info info;
	struct event_block block, none;

	assert_int_equal(frame_open(f->reader, image.bytes, image.length, &info), 0);
	assert_int_equal(info.sequence, 9);
	assert_int_equal(frame_next_block(f->reader, &block), 0);
	assert_int_equal(info.records, block.count);
	assert_int_equal(frame_next_block(f->reader, &none), EVT_END);
	return block;
}

/* Reads all of it, whatever it is; the first error, or EVT_END. */
static inline int read_anything(struct frame_reader *reader, const uint8_t *bytes, size_t length)
{
	struct frame_info info;
	struct event_block block;
	int error = frame_open(reader, bytes, length, &info);
	volatile uint64_t sum = 0;

	while (!error) {
		error = frame_next_block(reader, &block);
		for (uint32_t i = 0; !error && i < block.count; i++)
			sum += block.event[i].value[block.event[i].words - 1];
	}
	return error;
}

static inline bool has_text(uint32_t id)
{
	const struct evt_descriptor *event = &evt_descriptors[id];

	return event->field_count && event->field[event->field_count - 1].codec == EVT_CODEC_text;
}

static inline uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return *seed >> 33;
}

/* Few addresses, so that they come back near, far, twice in a row and across the window. */
static inline uint64_t random_address(uint64_t *seed, uint32_t blocks)
{
	uint64_t which = next_random(seed) % blocks;

	return which % 7 == 0 ? which * 0x1234567890abcdefull : 0x550000000000ull + which * 48;
}

/*
 * A small frame with some of everything; the copy is as long as it, so that a sanitiser sees
 * over-reads.
 */
static inline uint8_t *small_frame(struct fixture *f, size_t *ret_length)
{
	struct frame_image image;
	uint8_t *copy;

	frame_begin_block(f->writer, 0);
	FRAME_PUT(f->writer, 1, string, .id = 1, .text = { (uint64_t)(uintptr_t) "name", 4 });
	FRAME_PUT(f->writer, 2, module, .process = 1, .start = 0x7f0000000000, .bytes = 4096,
		  .path = 1);
	FRAME_PUT(f->writer, 3, process_end, .process = 1, .exit_status = -1);
	frame_end_block(f->writer);
	frame_begin_block(f->writer, 1);
	for (uint32_t i = 0; i < 20; i++) {
		frame_put_born(f->writer, EVT_malloc, 1000 + i * 200, 0x5500 + i % 3 * 32, i,
			       0x7f0000401234 + i % 4);
		FRAME_PUT(f->writer, 1100 + i * 200, free, .ptr = 0x5500 + i % 5 * 32);
	}
	image = close_frame(f);
	copy = malloc(image.length);
	assert_non_null(copy);
	memcpy(copy, image.bytes, image.length);
	*ret_length = image.length;
	return copy;
}

#endif
