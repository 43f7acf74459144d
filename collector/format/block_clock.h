/* SPDX-License-Identifier: MIT */
/*
 * Times of a block's records. Two columns hold them: one for the heap's records, in units, and
 * one for all others. Each value is the difference to the previous record; a record's time is
 * the sum of both columns up to it. Private to the reader of blocks.
 */
#ifndef COLLECTOR_FORMAT_BLOCK_CLOCK_H
#define COLLECTOR_FORMAT_BLOCK_CLOCK_H

#include "collector/format/layout.h"
#include "collector/format/varints.h"

struct block_clock {
	const uint32_t *plain, *heap; /* sum of the first n differences, without the long ones */
	const struct varint_late *late_plain, *late_heap; /* the next long ones */
	uint32_t late_plain_at, late_heap_at;             /* UINT32_MAX: no further ones */
	const struct varint_late *end_plain, *end_heap;
	uint64_t late_ns; /* sum of the long ones that were passed */
};

static inline uint32_t late_place(const struct varint_late *late, const struct varint_late *end)
{
	return late < end ? late->at : UINT32_MAX;
}

/* Call when both columns have been unpacked and added up. */
static inline struct block_clock block_clock_of(const struct varints *plain,
						const struct varints *heap)
{
	struct block_clock clock = {
		.plain = plain->sum,
		.heap = heap->sum,
		.late_plain = plain->late,
		.late_heap = heap->late,
	};

	clock.end_plain = plain->late_count ? plain->late + plain->late_count : plain->late;
	clock.end_heap = heap->late_count ? heap->late + heap->late_count : heap->late;
	clock.late_plain_at = late_place(clock.late_plain, clock.end_plain);
	clock.late_heap_at = late_place(clock.late_heap, clock.end_heap);
	return clock;
}

static inline void block_clock_pass_late(struct block_clock *clock, uint32_t plain, uint32_t heap)
{
	while (clock->late_plain_at < plain) {
		clock->late_ns += clock->late_plain++->value;
		clock->late_plain_at = late_place(clock->late_plain, clock->end_plain);
	}
	while (clock->late_heap_at < heap) {
		clock->late_ns += clock->late_heap++->value << HEAP_TIME_BITS;
		clock->late_heap_at = late_place(clock->late_heap, clock->end_heap);
	}
}

/*
 * Returns the time of the record at the end of `plain` and `heap` records; never earlier than the
 * previous result.
 */
static inline uint64_t block_clock_at(struct block_clock *clock, uint32_t plain, uint32_t heap)
{
	if (__builtin_expect((clock->late_plain_at < plain) | (clock->late_heap_at < heap), 0))
		block_clock_pass_late(clock, plain, heap);
	return clock->late_ns + clock->plain[plain] +
	       ((uint64_t)clock->heap[heap] << HEAP_TIME_BITS);
}

#endif
