/* SPDX-License-Identifier: MIT */
/*
 * The records of the heap's hooks: a block is born, a block dies. Inlined into every hook, because
 * they are the hot path.
 *
 * `lane` is the one that recorder_enter() returned. `frame` is the frame of the exported function
 * (CALLER_FRAME).
 */
#ifndef PRELOAD_HEAP_HEAP_RECORD_H
#define PRELOAD_HEAP_HEAP_RECORD_H

#include <stdint.h>

#include "preload/heap/caller.h"
#include "preload/heap/heap_sample.h"
#include "preload/record/recorder.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Writes a birth whose values do not fit into three words. */
void record_born_wide(struct recorder_lane *lane, uint64_t word, uint64_t ptr, uint64_t size,
		      uint64_t caller);

/*
 * Call after the original: `lane` is IN_CALL and is left idle. `frame` is the exported function's.
 */
static inline __attribute__((always_inline)) void record_born_whole(struct recorder_lane *lane,
								    uint32_t type,
								    const void *block,
								    uint64_t size,
								    void *const *frame)
{
	uint64_t ptr = (uintptr_t)block, caller, now;
	uint64_t *at;

	caller = caller_of(lane, frame, size);
	now = recorder_now();
	recorder_switch_at(lane, frame, RECORDER_IN_RECORD);
	if (UNLIKELY(!record_fits_packed(ptr, size, caller))) {
		record_born_wide(lane, record_word(now, type), ptr, size, caller);
	} else if ((at = recorder_room(lane, RECORD_PACKED_WORDS)) != NULL) {
		at[0] = record_word(now, type | RECORD_PACKED);
		at[1] = record_packed_low(ptr, size);
		at[2] = record_packed_high(caller, size);
		recorder_publish(lane, RECORD_PACKED_WORDS);
	}
	recorder_leave(lane);
}

/* The same where it may be one of a sample. */
static inline __attribute__((always_inline)) void record_born(struct recorder_lane *lane,
							      uint32_t type, const void *block,
							      uint64_t size, void *const *frame)
{
	if (UNLIKELY(heap_every))
		heap_sample_born(lane, block, size, frame);
	else
		record_born_whole(lane, type, block, size, frame);
}

/*
 * Call before the original: `lane` is IN_RECORD and is left IN_CALL. Where the heap is not sampled.
 */
static inline __attribute__((always_inline)) void record_dies_whole(struct recorder_lane *lane,
								    uint32_t type,
								    const void *block,
								    void *const *frame)
{
	uint64_t now;
	uint64_t *at;

	now = recorder_now();
	at = recorder_room(lane, 2);
	if (at) {
		at[0] = record_word(now, type);
		at[1] = (uintptr_t)block;
		recorder_publish(lane, 2);
	}
	recorder_switch_at(lane, frame, RECORDER_IN_CALL);
}

/* The same where it may be one of a sample. */
static inline __attribute__((always_inline)) void record_dies(struct recorder_lane *lane,
							      uint32_t type, const void *block,
							      void *const *frame)
{
	if (UNLIKELY(heap_every)) {
		heap_sample_dies(lane, block, type == EVT_realloc_free);
		recorder_switch_at(lane, frame, RECORDER_IN_CALL);
	} else {
		record_dies_whole(lane, type, block, frame);
	}
}

/*
 * The realloc whose realloc_free was recorded has failed, so the block is what it was. `lane` is
 * left IN_RECORD.
 */
static inline __attribute__((always_inline)) void record_lives_on(struct recorder_lane *lane,
								  const void *block,
								  void *const *frame)
{
	recorder_switch_at(lane, frame, RECORDER_IN_RECORD);
	if (heap_every)
		heap_sample_lives_on(lane, block);
	else
		recorder_put(lane, EVT_realloc_failed, recorder_now(),
			     &(uint64_t){ (uintptr_t)block }, 1);
}

#endif
