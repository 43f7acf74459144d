/* SPDX-License-Identifier: MIT */
/*
 * The state of a frame under construction, for the files that make it: block_writer.c and
 * record_put.h put records into the open block, frame_writer.c keeps the blocks. Private to them.
 */
#ifndef COLLECTOR_FORMAT_FRAME_WRITER_H
#define COLLECTOR_FORMAT_FRAME_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "collector/format/block.h"
#include "collector/format/column.h"
#include "collector/format/heap_trail.h"
#include "collector/format/kind_table.h"
#include "collector/format/layout.h"

#define WRITER_FIELDS (EVT_ID_LIMIT * EVT_FIELDS_MAX)
#define CUT_BYTES 8192u /* shorter columns share their statistics with the next one */
#define FIELD_BYTES_MAX (CODEC_VARINT_MAX + 1)
#define RECORD_BYTES_MAX (EVT_FIELDS_MAX * FIELD_BYTES_MAX + 2 * CODEC_VARINT_MAX)
#define CUTS_MAX (FRAME_BYTES_MAX / CUT_BYTES + 1)

struct frame_writer {
	/* the open block */
	uint32_t stream;
	uint32_t count;
	uint32_t limit; /* maximum number of records */
	uint64_t last_ns;
	struct column shared[COLUMN_SHARED];
	struct column field[WRITER_FIELDS];
	uint64_t last_address[WRITER_FIELDS]; /* for addr fields */
	uint16_t used[WRITER_FIELDS];         /* columns of `field` that are not empty */
	uint32_t used_count;
	bool flat[EVT_ID_LIMIT]; /* events with one number per field */
	bool heap[EVT_ID_LIMIT]; /* events with a born or dies field */
	struct heap_trail trail;

	/* the frame */
	struct kind_table kinds;
	uint64_t records;
	uint8_t *bytes; /* HEADROOM, then finished blocks */
	size_t length;  /* length of the blocks */
	size_t room;
	/* offsets from the first block on; shifted when the frame is closed */
	size_t cut[CUTS_MAX];
	size_t cut_count;
	bool closed;
};

/* Decides for which events frame_put() uses the short path. Call once, when the writer is made. */
void frame_writer_sort_events(struct frame_writer *fw);

#endif
