/* SPDX-License-Identifier: MIT */
/*
 * From a frame's content to its blocks of events, and the schema that this needs. That the events this
 * program knows fit the structs of events.h, whatever the file says, is seen to by schema_read().
 */
#include "report/reader_state.h"

#include <stdlib.h>

#include "collector/format/error.h"

#define BLOCKS_FIRST 64u

int schema_load(struct reader *reader, const uint8_t *bytes, size_t length)
{
	int error = schema_read(&reader->schema, bytes, length);

	if (error)
		return error;
	reader->frame_reader = frame_reader_new(&reader->schema);
	if (!reader->frame_reader) {
		schema_release(&reader->schema);
		return EVT_NO_MEMORY;
	}
	reader->schema_loaded = true;
	return EVT_OK;
}

int schema_load_own(struct reader *reader)
{
	uint8_t *bytes = malloc(SCHEMA_BYTES_MAX);
	int error;

	if (!bytes)
		return EVT_NO_MEMORY;
	error = schema_load(reader, bytes, schema_write(bytes, SCHEMA_BYTES_MAX));
	free(bytes);
	return error;
}

static int frame_add_block(struct reader *reader, size_t count, const struct event_block *block)
{
	if (count == reader->block_room) {
		size_t room = count ? count * 2 : BLOCKS_FIRST;
		struct event_block *blocks = realloc(reader->block, room * sizeof(*blocks));

		if (!blocks)
			return EVT_NO_MEMORY;
		reader->block = blocks;
		reader->block_room = room;
	}
	reader->block[count] = *block;
	return EVT_OK;
}

/* What came before a bad block is good: each block stands for itself. */
static void frame_tell_bad_block(struct reader *reader, const struct reader_frame *frame,
				 uint64_t records, int error)
{
	uint64_t lost = frame->info.records > records ? frame->info.records - records : 0;

	reader_fault(reader, frame->offset, error, "frame %llu: block %zu: %s (%llu records lost)",
		     (unsigned long long)frame->info.sequence, frame->block_count + 1,
		     evt_error_text(error), (unsigned long long)lost);
}

int frame_decode(struct reader *reader, const uint8_t *bytes, size_t length,
		 struct reader_frame *frame)
{
	uint64_t records = 0;
	int error = frame_open(reader->frame_reader, bytes, length, &frame->info);

	if (error)
		return error;
	frame->block_count = 0;
	for (;;) {
		struct event_block block;

		error = frame_next_block(reader->frame_reader, &block);
		if (!error)
			error = frame_add_block(reader, frame->block_count, &block);
		if (error)
			break;
		frame->block_count++;
		records += block.count;
	}
	frame->block = reader->block;
	if (error == EVT_NO_MEMORY)
		return error;
	if (error != EVT_END)
		frame_tell_bad_block(reader, frame, records, error);
	else if (records != frame->info.records)
		reader_fault(reader, frame->offset, EVT_CORRUPT,
			     "frame %llu: it holds %llu records and says %llu",
			     (unsigned long long)frame->info.sequence, (unsigned long long)records,
			     (unsigned long long)frame->info.records);
	return EVT_OK;
}
