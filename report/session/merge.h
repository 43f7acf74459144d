/* SPDX-License-Identifier: MIT */
/*
 * Runs of events in one order by time. A run is a block: its events are in order already, so the one
 * with the earliest head is followed until it passes the head of the next one; only then is the order
 * of the runs touched. One thread alone costs nothing per event.
 *
 * Equal times: events of stream 0 first (definitions before uses), then by file, then by place in it.
 * Holds pointers to runs only. Knows nothing of files and frames.
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
	/* Records of the heap among the events, `before[i]` of them before event i; not empty both when
	 * it is added. */
	const struct event *first;
	const struct event_block *block; /* NULL: no records of the heap */
	uint32_t heap_at;
	uint64_t
		offset_ns; /* added to the events' times, modulo 2^64: may stand for a negative one */
	uint64_t order;    /* see merge_order(); unique */
	void *owner, *thread;        /* for the caller */
	const struct block_sum *sum; /* of the next event, NULL: none; likewise */
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

/* Time on the common clock, from 0 to UINT64_MAX whatever the file says. */
static inline uint64_t merge_time(uint64_t time_ns, uint64_t offset_ns)
{
	uint64_t sum = time_ns + offset_ns;

	if ((int64_t)offset_ns >= 0)
		return sum < time_ns ? UINT64_MAX : sum;
	return sum > time_ns ? 0 : sum;
}

/* Records of the heap that come before the next event. */
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
/* The run to be followed, NULL when there is none, and up to which time of the run (exclusive). */
struct merge_run *merge_first(const struct merge *merge, uint64_t *ret_until_ns);
/* The first run's `at` has moved on: puts it to its new place, or takes it out when it is at its end. */
void merge_settle(struct merge *merge);

#endif
