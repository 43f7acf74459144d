/* SPDX-License-Identifier: MIT */
/*
 * Decodes all blocks of a frame and keeps them until the next one. schema_read() ensures that
 * events known to this program fit the structs of events.h, whatever the file says.
 */
#include "report/file/frame_decoder.h"

#include <stdlib.h>

#include "collector/format/error.h"

#define BLOCKS_FIRST 64u

int frame_decoder_init(struct frame_decoder *decoder, const struct schema *schema,
		       const struct frame_wants *wants)
{
	decoder->frame_reader = frame_reader_new(schema);
	if (!decoder->frame_reader)
		return EVT_NO_MEMORY;
	frame_reader_want(decoder->frame_reader, wants);
	return EVT_OK;
}

void frame_decoder_release(struct frame_decoder *decoder)
{
	frame_reader_free(decoder->frame_reader);
	free(decoder->block);
	*decoder = (struct frame_decoder){ 0 };
}

static int frame_add_block(struct frame_decoder *decoder, size_t count,
			   const struct event_block *block)
{
	if (count == decoder->block_room) {
		size_t room = count ? count * 2 : BLOCKS_FIRST;
		struct event_block *blocks = realloc(decoder->block, room * sizeof(*blocks));

		if (!blocks)
			return EVT_NO_MEMORY;
		decoder->block = blocks;
		decoder->block_room = room;
	}
	decoder->block[count] = *block;
	return EVT_OK;
}

int frame_decoder_open(struct frame_decoder *decoder, const uint8_t *bytes, size_t length,
		       struct reader_frame *frame)
{
	return frame_open(decoder->frame_reader, bytes, length, &frame->info);
}

int frame_decoder_run(struct frame_decoder *decoder, struct reader_frame *frame,
		      uint64_t *ret_records)
{
	int error = EVT_OK;

	frame->block_count = 0;
	*ret_records = 0;
	while (!error) {
		struct event_block block;

		error = frame_next_block(decoder->frame_reader, &block);
		if (!error)
			error = frame_add_block(decoder, frame->block_count, &block);
		if (error)
			break;
		frame->block_count++;
		*ret_records += block.records;
	}
	frame->block = decoder->block;
	return error;
}
