/* SPDX-License-Identifier: MIT */
/*
 * Decodes a frame's content to all of its blocks. Reports problems only by an error code: for the
 * reader, and for the code that decodes ahead of it. One thread at a time.
 */
#ifndef REPORT_FILE_FRAME_DECODER_H
#define REPORT_FILE_FRAME_DECODER_H

#include "report/file/reader.h"

struct frame_decoder {
	struct frame_reader *frame_reader;
	struct event_block *block; /* of the last frame */
	size_t block_room;
};

/* The decoder must be zeroed. EVT_NO_MEMORY. */
int frame_decoder_init(struct frame_decoder *decoder, const struct schema *schema,
		       const struct frame_wants *wants);
void frame_decoder_release(struct frame_decoder *decoder);

/* Fills frame->info. */
int frame_decoder_open(struct frame_decoder *decoder, const uint8_t *bytes, size_t length,
		       struct reader_frame *frame);
/* Fills frame->block; blocks before an error are good. EVT_END at the end. */
int frame_decoder_run(struct frame_decoder *decoder, struct reader_frame *frame,
		      uint64_t *ret_records);

#endif
