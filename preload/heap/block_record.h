/* SPDX-License-Identifier: MIT */
/*
 * Blocks from an allocator's own functions (hook/allocator_names.h), which may or may not call
 * malloc().
 *
 * An original that can throw runs without a lane. So if it calls malloc(), malloc() records the
 * block itself, and block_born() does not record it again. Only the outermost call is counted, as
 * everywhere.
 */
#ifndef PRELOAD_HEAP_BLOCK_RECORD_H
#define PRELOAD_HEAP_BLOCK_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/heap/heap_record.h"
#include "preload/hook/allocator_names.h"

/* How far this thread's rings had been written. */
struct block_before {
	uint64_t head[RECORDER_LEVELS];
	/* of its draw: a malloc() that the original called has drawn for the block */
	uint64_t left;
};

static inline struct block_before block_before(void)
{
	struct block_before before = { .left = recorder_self.heap_left };

	for (unsigned int i = 0; i < RECORDER_LEVELS; i++)
		before.head[i] = recorder_self.lane[i].head;
	return before;
}

/* True if the last record of this thread since `before` is the birth of this block. */
bool block_is_recorded(struct block_before before, const void *block);

static inline __attribute__((always_inline)) void block_born(struct block_before before,
							     uint32_t type, const void *block,
							     uint64_t size, void *const *frame)
{
	bool is_drawn = heap_is_sampled();
	struct recorder_lane *lane;

	if (UNLIKELY(before.head[0] != recorder_self.lane[0].head ||
		     before.head[1] != recorder_self.lane[1].head) &&
	    block_is_recorded(before, block))
		return;
	if (UNLIKELY(is_drawn) &&
	    (before.left != recorder_self.heap_left || heap_sample_misses(size)))
		return;
	lane = heap_enter_birth(is_drawn, size);
	if (lane)
		record_born(lane, type, block, size, frame);
}

/*
 * Call before an original that cannot throw. Returns the lane to leave afterwards, or NULL if the
 * call is not recorded.
 */
static inline __attribute__((always_inline)) struct recorder_lane *block_dies(const void *block,
									      void *const *frame)
{
	bool is_drawn = heap_is_sampled();
	struct recorder_lane *lane;

	if (UNLIKELY(is_drawn) && !sampled_blocks_may_have(block))
		return NULL;
	lane = heap_enter_death(is_drawn, block);
	if (lane)
		record_dies(lane, EVT_free, block, frame);
	return lane;
}

#endif
