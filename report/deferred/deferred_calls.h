/* SPDX-License-Identifier: MIT */
/*
 * Calls with deferred work, by process and correlation number, with a few words for each (places).
 * Numbers rise by one from call to call, or nearly so: the calls of DEFERRED_PAGE_CALLS numbers
 * share a page, and pages are found by a map, which is searched once for each page and not for each
 * call. All zeros is not a valid object: call deferred_calls_init(). To be used by one thread.
 *
 * Memory grows with the pages that have a call. deferred_calls_sweep() empties pages whose calls
 * are over.
 */
#ifndef REPORT_DEFERRED_DEFERRED_CALLS_H
#define REPORT_DEFERRED_DEFERRED_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/map.h"

/* a call that is alone in its page takes 512 bytes, and its places 16 times */
#define DEFERRED_PAGE_BITS 4u
#define DEFERRED_PAGE_CALLS (1u << DEFERRED_PAGE_BITS)

struct deferred_call {
	uint64_t start_ns, end_ns;
	uint64_t seen_ns; /* the latest time at which it, or its work, was reported */
	uint32_t thread;
	bool exists, counts, has_work;
};

struct deferred_calls {
	struct map
		pages; /* number of a page's first call >> DEFERRED_PAGE_BITS, + 1, to page + 1 */
	struct deferred_call *call;
	uint64_t *place;
	uint64_t *key;  /* the key of each page in `pages`; 0: the page is free */
	uint32_t *free; /* free pages */
	size_t call_room, place_room, key_room, free_room;
	size_t page_count, free_count, sweep_at;
	size_t places;        /* number of places of a call; must be set before the first call */
	uint64_t last_key[2]; /* of the latest calls that were put and found */
	size_t last_page[2];
};

#define DEFERRED_NO_CALL SIZE_MAX

void deferred_calls_init(struct deferred_calls *calls);
void deferred_calls_release(struct deferred_calls *calls);
/*
 * The call's number, with room made for it; it may exist already. Numbers are valid until the next
 * sweep.
 */
size_t deferred_calls_put(struct deferred_calls *calls, uint32_t process, uint64_t correlation);
/* DEFERRED_NO_CALL when it does not exist. */
size_t deferred_calls_find(struct deferred_calls *calls, uint32_t process, uint64_t correlation);

/* True when there are enough pages that calls that are over should be looked for. */
static inline bool deferred_calls_want_sweep(const struct deferred_calls *calls)
{
	return calls->page_count - calls->free_count >= calls->sweep_at;
}

/*
 * Takes those out for which `is_over` says so; it may look at the call's places for the last time.
 */
void deferred_calls_sweep(struct deferred_calls *calls, bool (*is_over)(void *state, size_t number),
			  void *state);

uint32_t deferred_call_process(const struct deferred_calls *calls, size_t number);

/* Beyond the last number; some before it may not exist. */
static inline size_t deferred_calls_end(const struct deferred_calls *calls)
{
	return calls->page_count * DEFERRED_PAGE_CALLS;
}

static inline uint64_t *deferred_call_places(const struct deferred_calls *calls, size_t number)
{
	return &calls->place[number * calls->places];
}

#endif
