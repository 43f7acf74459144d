/* SPDX-License-Identifier: MIT */
/*
 * The heap as a sample by bytes (INTERCEPT_HEAP_EVERY): which calls of the heap's hooks are
 * recorded. Of all bytes that a thread asks for, one in `heap_every` is a point on average
 * (preload/stacks/sample.h); the allocation that it falls into is recorded, and the death of that
 * block. An allocation of s bytes is in the sample with probability 1 - exp(-s / every), whatever
 * else happens, so that the report can say what all of them were (report/heap/weight.h).
 *
 * A call that is not recorded costs the gate, and a counter of its thread or a byte of the filter
 * (sampled_blocks.h): no clock, no lane, no record. Without INTERCEPT_HEAP_EVERY each call is
 * recorded, and nothing here is reached.
 */
#ifndef PRELOAD_HEAP_HEAP_SAMPLE_H
#define PRELOAD_HEAP_HEAP_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/heap/sampled_blocks.h"
#include "preload/record/recorder.h"

/* Bytes from one point to the next on average; 0: each call is recorded. Set at the start. */
PRELOAD_HIDDEN extern uint64_t heap_every;

/* True while a sample of the heap is recorded. */
static inline bool heap_is_sampled(void)
{
	return recorder_gates->heap_sampled;
}

/*
 * A call that is not in the sample leaves its hook at once, before anything else is done. The hook
 * asks the cheap question first, so that it needs no frame for it; `is_drawn` is
 * heap_is_sampled(), read once in each call:
 *
 *   if (is_drawn && heap_sample_misses(size))
 *           return hook_real.malloc(size);
 *   lane = heap_enter_birth(is_drawn, size);
 */
static inline bool heap_sample_misses(uint64_t bytes)
{
	struct recorder_thread *self = (struct recorder_thread *)recorder_first_lane();
	uint64_t weighed = bytes ? bytes : 1;
	uint64_t left = __atomic_load_n(&self->heap_left, __ATOMIC_RELAXED);

	if (__builtin_expect(weighed >= left, 0))
		return false;
	__atomic_store_n(&self->heap_left, left - weighed, __ATOMIC_RELAXED);
	return true;
}

/* For one that does not miss: a point falls into it, or the thread has not begun to draw. */
bool heap_sample_hits(uint64_t bytes);

/* As recorder_enter(), IN_CALL, of an allocation that does not miss. NULL: it is not recorded. */
static inline __attribute__((always_inline)) struct recorder_lane *heap_enter_birth(bool is_drawn,
										    uint64_t bytes)
{
	if (__builtin_expect(is_drawn, 0))
		return heap_sample_hits(bytes) ? recorder_enter(EVT_FAMILY_alloc, RECORDER_IN_CALL)
					       : NULL;
	return recorder_enter(RECORDER_HEAP, RECORDER_IN_CALL);
}

/*
 * As recorder_enter(), IN_RECORD, of a block that may be in the sample: if it is, it is not any
 * more. NULL: its death is not recorded.
 */
static inline __attribute__((always_inline)) struct recorder_lane *heap_enter_death(
	bool is_drawn, const void *block)
{
	if (__builtin_expect(is_drawn, 0))
		return sampled_blocks_take(block)
			       ? recorder_enter(EVT_FAMILY_alloc, RECORDER_IN_RECORD)
			       : NULL;
	return recorder_enter(RECORDER_HEAP, RECORDER_IN_RECORD);
}

/* Which halves of a realloc() are recorded. */
struct heap_halves {
	bool death, birth;
};

/*
 * As recorder_enter(), IN_CALL, for a call that gives `block` (NULL: none) another size. NULL:
 * neither half is recorded.
 */
static inline __attribute__((always_inline)) struct recorder_lane *heap_enter_change(
	bool is_drawn, const void *block, uint64_t bytes, struct heap_halves *ret_halves)
{
	*ret_halves = (struct heap_halves){ block != NULL, true };
	if (__builtin_expect(!is_drawn, 1))
		return recorder_enter(RECORDER_HEAP, RECORDER_IN_CALL);
	ret_halves->death = block && sampled_blocks_may_have(block) && sampled_blocks_take(block);
	ret_halves->birth = !heap_sample_misses(bytes) && heap_sample_hits(bytes);
	if (!ret_halves->death && !ret_halves->birth)
		return NULL;
	return recorder_enter(EVT_FAMILY_alloc, RECORDER_IN_CALL);
}

/*
 * The records of a sample, as those of heap_record.h: a birth leaves the lane idle, the others
 * leave it IN_RECORD. A birth for whose block there is no room is lost (counted).
 */
void heap_sample_born(struct recorder_lane *lane, const void *block, uint64_t size,
		      void *const *frame);
void heap_sample_dies(struct recorder_lane *lane, const void *block, bool by_realloc);
void heap_sample_lives_on(struct recorder_lane *lane, const void *block);

#endif
