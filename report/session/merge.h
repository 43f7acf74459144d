/* SPDX-License-Identifier: MIT */
/*
 * Merges runs of events by time. A run is a block, whose events are already sorted. The run with
 * the earliest head is followed until it passes the head of the next run; only then does the order
 * of the runs change. So a single thread costs nothing per event.
 *
 * Equal times: events of stream 0 come first (definitions before uses), then the order of the
 * files, then the position in the file. Holds only pointers to runs. Knows nothing of files and
 * frames.
 */
#ifndef REPORT_SESSION_MERGE_H
#define REPORT_SESSION_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/block.h"
#include "collector/format/events.h"

struct merge_run {
	const struct event *at, *end;
	/*
	 * Heap records among the events: `before[i]` of them precede event i. A run must have
	 * events or heap records when it is added.
	 */
	const struct event *first;
	const struct event_block *block; /* NULL: no heap records */
	uint32_t heap_at;
	/* added to the events' times, modulo 2^64: may stand for a negative number */
	uint64_t offset_ns;
	uint64_t order;              /* see merge_order(); unique */
	void *owner, *thread;        /* for the caller */
	const struct block_sum *sum; /* for the next event; NULL: none */
	struct block_sum told;
};

struct merge {
	struct merge_entry {
		uint64_t time_ns, order;
		struct merge_run *run;
	} * entry; /* binary heap */
	size_t count, room;
};

static inline uint64_t merge_order(uint32_t stream, uint32_t file, uint32_t block)
{
	return (uint64_t)(stream != 0) << 63 | (uint64_t)(file & 0x7fffffff) << 32 | block;
}

/* Time on the common clock, from 0 to UINT64_MAX, whatever the file says. */
static inline uint64_t merge_time(uint64_t time_ns, uint64_t offset_ns)
{
	uint64_t sum = time_ns + offset_ns;

	if ((int64_t)offset_ns >= 0)
		return sum < time_ns ? UINT64_MAX : sum;
	return sum > time_ns ? 0 : sum;
}

/* Returns the end of the heap records that precede the next event. */
static inline uint32_t merge_run_heap_end(const struct merge_run *run, const struct event *at)
{
	if (!run->block)
		return 0;
	return at < run->end ? run->block->heap_before[at - run->first] : run->block->heap_count;
}

static inline bool merge_run_is_over(const struct merge_run *run)
{
	return run->at == run->end && (!run->block || run->heap_at == run->block->heap_count);
}

void merge_release(struct merge *merge);
int merge_add(struct merge *merge, struct merge_run *run);
/* Returns the run to follow, NULL if there is none, and up to which time of the run (exclusive). */
struct merge_run *merge_first(const struct merge *merge, uint64_t *ret_until_ns);
/* The first run's `at` has advanced: moves the run to its new place, or removes it at its end. */
void merge_settle(struct merge *merge);

#endif
