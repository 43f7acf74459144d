/* SPDX-License-Identifier: MIT */
/*
 * Calls with deferred work, by process and correlation number, with a few words for each (places).
 * Numbers rise by one from call to call or nearly so: calls of PAGE_CALLS numbers stand in a page,
 * and pages are found by a map, which is asked once a page and not once a call. All zeros is not
 * empty: late_calls_init(). One thread.
 *
 * Memory grows with the pages that have a call, of which late_calls_sweep() empties those whose
 * calls are over.
 */
#ifndef REPORT_DEFERRED_LATE_CALLS_H
#define REPORT_DEFERRED_LATE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/map.h"

#define LATE_PAGE_BITS \
	4u /* a call that is alone in its page takes 512 bytes and its places 16 times */
#define LATE_PAGE_CALLS (1u << LATE_PAGE_BITS)

struct late_call {
	uint64_t start_ns, end_ns;
	uint64_t seen_ns; /* the last time that it, or work of it, was told */
	uint32_t thread;
	bool exists, counts, has_work;
};

struct late_calls {
	struct map pages; /* number of a page's first call >> LATE_PAGE_BITS, + 1, to page + 1 */
	struct late_call *call;
	uint64_t *place;
	uint64_t *key;  /* of each page in `pages`; 0: it is free */
	uint32_t *free; /* pages */
	size_t call_room, place_room, key_room, free_room;
	size_t page_count, free_count, sweep_at;
	size_t places;        /* of a call; must be set before the first call */
	uint64_t last_key[2]; /* of the latest call that was put, and found */
	size_t last_page[2];
};

#define LATE_NO_CALL SIZE_MAX

void late_calls_init(struct late_calls *calls);
void late_calls_release(struct late_calls *calls);
/* The call's number, with room made for it; it may exist already. Numbers are valid until the next sweep. */
size_t late_calls_put(struct late_calls *calls, uint32_t process, uint64_t correlation);
/* LATE_NO_CALL when it does not exist. */
size_t late_calls_find(struct late_calls *calls, uint32_t process, uint64_t correlation);

/* True when there are enough pages that calls that are over should be looked for. */
static inline bool late_calls_want_sweep(const struct late_calls *calls)
{
	return calls->page_count - calls->free_count >= calls->sweep_at;
}

/* Takes those out for which `is_over` says so; it may look at the call's places for the last time. */
void late_calls_sweep(struct late_calls *calls, bool (*is_over)(void *state, size_t number),
		      void *state);

/* Beyond the last number; some before it may not exist. */
static inline size_t late_calls_end(const struct late_calls *calls)
{
	return calls->page_count * LATE_PAGE_CALLS;
}

static inline uint64_t *late_call_places(const struct late_calls *calls, size_t number)
{
	return &calls->place[number * calls->places];
}

#endif
