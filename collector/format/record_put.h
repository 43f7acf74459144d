/* SPDX-License-Identifier: MIT */
/*
 * Puts a heap record into the open block, inline: for block_writer.c and for the collector's hot
 * loop, where a call per record would cost a tenth of the whole. All other code uses block.h.
 *
 * Branches are used only where a processor can predict them: not for the lengths of codes.
 */
#ifndef COLLECTOR_FORMAT_RECORD_PUT_H
#define COLLECTOR_FORMAT_RECORD_PUT_H

#include <stdint.h>
#include <string.h>

#include "collector/format/frame_writer.h"

/*
 * A birth refers to a death and a death to a birth if it is in the window; otherwise the address is
 * written in full.
 */
static inline void frame_add_address(struct frame_writer *fw, enum heap_side side, uint64_t address)
{
	struct column *codes = &fw->shared[COLUMN_BORN + 2 * side];
	struct column *far_bytes = codes + 1;
	uint32_t ago = trail_add(&fw->trail, side, address);
	uint64_t far, length;

	if (ago < HEAP_WINDOW) {
		codes->at += put_two(codes->at, ago + 1 + TRAIL_NEAR);
		return;
	}
	far = address_code(address, fw->trail.last_far[side]);
	length = (71 - (uint64_t)__builtin_clzll(far | 1)) / 8;
	fw->trail.last_far[side] = address;
	memcpy(far_bytes->at, &far, sizeof(far));
	far_bytes->at += length;
	*codes->at++ = (uint8_t)(length - 1);
}

static inline void frame_add_size(struct frame_writer *fw, struct kind *kind, uint64_t size)
{
	column_put_short(&fw->shared[COLUMN_SIZE], size_code(size, kind->size));
	kind->size = size;
}

/*
 * Writes the number of the kind and the time since the previous record, rounded down to units. The
 * first of a block is rounded up, because the previous record is in another block and may be exact.
 */
static inline void frame_add_heap_head(struct frame_writer *fw, const struct kind *kind,
				       uint64_t time_ns)
{
	uint64_t passed = time_ns < fw->last_ns ? 0 : time_ns - fw->last_ns, units;

	if (__builtin_expect(!fw->count, 0) && passed <= UINT64_MAX - HEAP_TIME_UNIT)
		passed += HEAP_TIME_UNIT - 1;
	units = passed >> HEAP_TIME_BITS;

	column_put(&fw->shared[COLUMN_KIND], kind->number);
	column_put_short(&fw->shared[COLUMN_HEAP_TIME], units);
	fw->last_ns += units << HEAP_TIME_BITS;
	fw->count++;
}

/* The same for records outside of the heap, with exact time. */
static inline void frame_add_head(struct frame_writer *fw, const struct kind *kind,
				  uint64_t time_ns)
{
	if (time_ns < fw->last_ns)
		time_ns = fw->last_ns;
	column_put(&fw->shared[COLUMN_KIND], kind->number);
	column_put_short(&fw->shared[COLUMN_TIME], time_ns - fw->last_ns);
	fw->last_ns = time_ns;
	fw->count++;
}

/* The next two return the kind, NULL if there is no memory. frame_block_room() must not be 0. */
static inline struct kind *frame_add_born(struct frame_writer *fw, uint32_t id, uint64_t time_ns,
					  const struct evt_malloc *block)
{
	struct kind *kind = kind_table_find(&fw->kinds, id, block->caller);

	if (__builtin_expect(!kind, 0))
		return NULL;
	frame_add_heap_head(fw, kind, time_ns);
	frame_add_address(fw, HEAP_BIRTHS, block->ptr);
	frame_add_size(fw, kind, block->size);
	return kind;
}

static inline struct kind *frame_add_dies(struct frame_writer *fw, uint32_t id, uint64_t time_ns,
					  uint64_t ptr)
{
	struct kind *kind = kind_table_find_plain(&fw->kinds, id);

	if (__builtin_expect(!kind, 0))
		return NULL;
	frame_add_heap_head(fw, kind, time_ns);
	frame_add_address(fw, HEAP_DEATHS, ptr);
	return kind;
}

#endif
