/* SPDX-License-Identifier: MIT */
/*
 * An array of pages, a free list, and a map from the number of a page's first call to the page. The
 * latest pages are remembered.
 */
#include "report/deferred/deferred_calls.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/vast.h"

/* pages, before calls that are over are searched for */
#define PAGES_KEPT ((1u << 16) / DEFERRED_PAGE_CALLS)

enum { LAST_PUT, LAST_FOUND };

void deferred_calls_init(struct deferred_calls *calls)
{
	*calls = (struct deferred_calls){ .sweep_at = PAGES_KEPT };
	map_init(&calls->pages);
}

void deferred_calls_release(struct deferred_calls *calls)
{
	map_release(&calls->pages);
	vast_release(calls->call, calls->call_room, sizeof(*calls->call));
	vast_release(calls->place, calls->place_room, sizeof(*calls->place));
	free(calls->key);
	free(calls->free);
}

/* The result is never 0, because a map does not accept the key 0. */
static uint64_t deferred_calls_key_of(uint32_t process, uint64_t correlation)
{
	return (((uint64_t)process << 32 | (uint32_t)correlation) >> DEFERRED_PAGE_BITS) + 1;
}

uint32_t deferred_call_process(const struct deferred_calls *calls, size_t number)
{
	return (uint32_t)((calls->key[number / DEFERRED_PAGE_CALLS] - 1) >>
			  (32 - DEFERRED_PAGE_BITS));
}

static size_t deferred_calls_number_of(size_t page, uint64_t correlation)
{
	return page * DEFERRED_PAGE_CALLS + (correlation & (DEFERRED_PAGE_CALLS - 1));
}

static size_t page_make(struct deferred_calls *calls)
{
	size_t page = calls->page_count, calls_after = (page + 1) * DEFERRED_PAGE_CALLS;

	if (calls->free_count)
		return calls->free[--calls->free_count];
	calls->call = vast_room(calls->call, calls_after - 1, &calls->call_room,
				sizeof(*calls->call));
	calls->place = vast_room(calls->place, calls_after * calls->places, &calls->place_room,
				 sizeof(*calls->place));
	calls->key = memory_room(calls->key, page, &calls->key_room, sizeof(*calls->key));
	calls->page_count++;
	return page;
}

static size_t page_put(struct deferred_calls *calls, uint64_t key)
{
	bool added;
	struct map_entry *entry = map_put(&calls->pages, key, &added);

	if (added) {
		entry->value = page_make(calls) + 1;
		calls->key[entry->value - 1] = key;
	}
	calls->last_key[LAST_PUT] = key;
	calls->last_page[LAST_PUT] = entry->value - 1;
	return entry->value - 1;
}

size_t deferred_calls_put(struct deferred_calls *calls, uint32_t process, uint64_t correlation)
{
	uint64_t key = deferred_calls_key_of(process, correlation);
	size_t page = calls->last_key[LAST_PUT] == key ? calls->last_page[LAST_PUT]
						       : page_put(calls, key);

	return deferred_calls_number_of(page, correlation);
}

size_t deferred_calls_find(struct deferred_calls *calls, uint32_t process, uint64_t correlation)
{
	uint64_t key = deferred_calls_key_of(process, correlation);
	const struct map_entry *entry;
	size_t number;

	if (calls->last_key[LAST_FOUND] != key) {
		entry = map_find(&calls->pages, key);
		if (!entry)
			return DEFERRED_NO_CALL;
		calls->last_key[LAST_FOUND] = key;
		calls->last_page[LAST_FOUND] = entry->value - 1;
	}
	number = deferred_calls_number_of(calls->last_page[LAST_FOUND], correlation);
	return calls->call[number].exists ? number : DEFERRED_NO_CALL;
}

/* Returns true if no call is left in the page. */
static bool page_sweep(struct deferred_calls *calls, size_t page,
		       bool (*is_over)(void *state, size_t number), void *state)
{
	bool is_empty = true;

	for (size_t number = page * DEFERRED_PAGE_CALLS; number < (page + 1) * DEFERRED_PAGE_CALLS;
	     number++) {
		struct deferred_call *call = &calls->call[number];

		if (call->exists && is_over(state, number))
			call->exists = false;
		is_empty &= !call->exists;
	}
	return is_empty;
}

static void page_free(struct deferred_calls *calls, size_t page)
{
	map_remove(&calls->pages, map_find(&calls->pages, calls->key[page]));
	calls->key[page] = 0;
	calls->free = memory_room(calls->free, calls->free_count, &calls->free_room,
				  sizeof(*calls->free));
	calls->free[calls->free_count++] = (uint32_t)page;
}

void deferred_calls_sweep(struct deferred_calls *calls, bool (*is_over)(void *state, size_t number),
			  void *state)
{
	size_t kept;

	for (size_t page = 0; page < calls->page_count; page++)
		if (calls->key[page] && page_sweep(calls, page, is_over, state))
			page_free(calls, page);
	memset(calls->last_key, 0, sizeof(calls->last_key));
	kept = calls->page_count - calls->free_count;
	calls->sweep_at = kept * 2 > PAGES_KEPT ? kept * 2 : PAGES_KEPT;
}
