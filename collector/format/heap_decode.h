/* SPDX-License-Identifier: MIT */
/*
 * Decodes runs of consecutive heap records, which are nearly all of a recording. Private to the
 * reader of blocks.
 */
#ifndef COLLECTOR_FORMAT_HEAP_DECODE_H
#define COLLECTOR_FORMAT_HEAP_DECODE_H

#include "collector/format/block_clock.h"
#include "collector/format/block_decode.h"

/* How much of the block has been read. */
struct heap_place {
	uint32_t visit;   /* index in decoder.visited */
	uint32_t records; /* number of struct heap_record so far */
	struct block_clock clock;
	struct block_sum sum;
};

/*
 * Reads from `place` on the records whose kind is quick and becomes a heap record, up to the first
 * other record. A wrong code is noted in its column's `failed`.
 */
void decoder_read_heap(struct decoder *d, struct heap_record *all, struct heap_place *place);
/* The same for records that have nothing but a size to be added up. */
void decoder_read_sizes(struct decoder *d, struct heap_place *place);

#endif
