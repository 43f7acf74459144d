/* SPDX-License-Identifier: MIT */
/* The rare half of heap_sample.h: points that are met, threads that begin, start and fork. */
#include "preload/heap/heap_sample.h"

#include "preload/base/clock.h"
#include "preload/heap/caller.h"
#include "preload/record/entry.h"
#include "preload/record/event.h"
#include "preload/record/family.h"
#include "preload/record/limitation.h"
#include "preload/settings/settings.h"
#include "preload/stacks/sample.h"
#include "preload/stacks/stack.h"

uint64_t heap_every;

static uint64_t heap_sample_distance(void)
{
	return sample_distance(&recorder_self.heap_seed, heap_every);
}

/* What is left is read once: a signal handler may change it (preload/stacks/sample.h). */
bool heap_sample_hits(uint64_t bytes)
{
	uint64_t weighed = bytes ? bytes : 1, left = recorder_self.heap_left;

	if (!left) {
		/* threads, and a forked child and its parent, draw different random numbers */
		recorder_self.heap_seed = clock_ticks() ^
					  (uintptr_t)&recorder_self * 0x9e3779b97f4a7c15u;
		left = heap_sample_distance();
	}
	if (weighed < left) {
		recorder_self.heap_left = left - weighed;
		return false;
	}
	recorder_self.heap_left = heap_sample_distance();
	return true;
}

/* The event's record, with its stack before it; 0: it has none. */
static void heap_sample_put(struct recorder_lane *lane, enum evt_id event, uint64_t stack,
			    const uint64_t *field, unsigned int fields)
{
	uint64_t now = recorder_now();
	uint64_t *at = stack_room(lane, stack, now, fields + RECORD_IN_BLOCK_HEAD);

	if (!at)
		return;
	at[0] = record_word(now, RECORD_IN_BLOCK);
	at[1] = recorder_number_in_block(event);
	for (unsigned int i = 0; i < fields; i++)
		at[i + RECORD_IN_BLOCK_HEAD] = field[i];
	recorder_publish(lane, fields + RECORD_IN_BLOCK_HEAD);
}

/* As caller_of(): large blocks have Python's lines, and so has each block of a sample. */
static uint64_t sampled_caller(struct recorder_lane *lane, void *const *frame, uint64_t size)
{
	if (large_heap_bytes != UINT64_MAX && large_heap_is_due(UINT64_MAX - 1))
		return caller_of_large(lane, frame, size);
	return caller_of(lane, frame, size);
}

void heap_sample_born(struct recorder_lane *lane, const void *block, uint64_t size,
		      void *const *frame)
{
	uint64_t caller = 0, stack = 0;

	if (sampled_blocks_put(block)) {
		caller = sampled_caller(lane, frame, size);
		if (caller & RECORD_STACK_BIT) {
			stack = caller & ~RECORD_STACK_BIT;
			caller = caller_alone(frame);
		}
		recorder_switch_at(lane, frame, RECORDER_IN_RECORD);
		heap_sample_put(lane, EVT_heap_sampled, stack,
				(uint64_t[]){ (uintptr_t)block, size, heap_every, caller }, 4);
	} else {
		entry_count_lost(ENTRY_LOST_SAMPLED);
	}
	recorder_leave(lane);
}

void heap_sample_dies(struct recorder_lane *lane, const void *block, bool by_realloc)
{
	heap_sample_put(lane, EVT_heap_sample_freed, 0,
			(uint64_t[]){ (uintptr_t)block, by_realloc }, 2);
}

void heap_sample_lives_on(struct recorder_lane *lane, const void *block)
{
	if (sampled_blocks_put(block))
		heap_sample_put(lane, EVT_heap_sample_kept, 0, (uint64_t[]){ (uintptr_t)block }, 1);
	else
		entry_count_lost(ENTRY_LOST_SAMPLED);
}

static void heap_sample_start(void)
{
	if (!settings.heap_every_bytes || !(settings.trace >> SETTINGS_FAMILY_alloc & 1))
		return;
	heap_every = settings.heap_every_bytes;
	recorder_self.heap_left = 0;
	if (sampled_blocks_begin()) {
		recorder_heap(RECORDER_HEAP_SAMPLED);
		limitation_note(LIMITATION_heap_sampled, NULL);
	} else {
		recorder_heap(RECORDER_HEAP_OFF);
		limitation_say(LIMITATION_heap_sample_memory, NULL);
	}
}

static void heap_sample_forked(void)
{
	recorder_self.heap_left = 0;
	sampled_blocks_forget();
}

PRELOAD_HIDDEN extern const struct family family_heap;
const struct family family_heap = { .start = heap_sample_start, .forked = heap_sample_forked };
