/* SPDX-License-Identifier: MIT */
/* Pages of calls: see late_calls.h. */
#include "report/deferred/late_calls.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/vast.h"

#define PAGES_KEPT ((1u << 16) / LATE_PAGE_CALLS) /* before anything is looked through */

enum { LAST_PUT, LAST_FOUND };

void late_calls_init(struct late_calls *calls)
{
	*calls = (struct late_calls){ .sweep_at = PAGES_KEPT };
	map_init(&calls->pages);
}

void late_calls_release(struct late_calls *calls)
{
	map_release(&calls->pages);
	vast_release(calls->call, calls->call_room, sizeof(*calls->call));
	vast_release(calls->place, calls->place_room, sizeof(*calls->place));
	free(calls->key);
	free(calls->free);
}

/* Never 0, which no map takes. */
static uint64_t key_of(uint32_t process, uint64_t correlation)
{
	return (((uint64_t)process << 32 | (uint32_t)correlation) >> LATE_PAGE_BITS) + 1;
}

static size_t number_of(size_t page, uint64_t correlation)
{
	return page * LATE_PAGE_CALLS + (correlation & (LATE_PAGE_CALLS - 1));
}

static size_t page_make(struct late_calls *calls)
{
	size_t page = calls->page_count, calls_after = (page + 1) * LATE_PAGE_CALLS;

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

static size_t page_put(struct late_calls *calls, uint64_t key)
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

size_t late_calls_put(struct late_calls *calls, uint32_t process, uint64_t correlation)
{
	uint64_t key = key_of(process, correlation);
	size_t page = calls->last_key[LAST_PUT] == key ? calls->last_page[LAST_PUT]
						       : page_put(calls, key);

	return number_of(page, correlation);
}

size_t late_calls_find(struct late_calls *calls, uint32_t process, uint64_t correlation)
{
	uint64_t key = key_of(process, correlation);
	const struct map_entry *entry;
	size_t number;

	if (calls->last_key[LAST_FOUND] != key) {
		entry = map_find(&calls->pages, key);
		if (!entry)
			return LATE_NO_CALL;
		calls->last_key[LAST_FOUND] = key;
		calls->last_page[LAST_FOUND] = entry->value - 1;
	}
	number = number_of(calls->last_page[LAST_FOUND], correlation);
	return calls->call[number].exists ? number : LATE_NO_CALL;
}

/* True when none is left in it. */
static bool page_sweep(struct late_calls *calls, size_t page,
		       bool (*is_over)(void *state, size_t number), void *state)
{
	bool is_empty = true;

	for (size_t number = page * LATE_PAGE_CALLS; number < (page + 1) * LATE_PAGE_CALLS;
	     number++) {
		struct late_call *call = &calls->call[number];

		if (call->exists && is_over(state, number))
			call->exists = false;
		is_empty &= !call->exists;
	}
	return is_empty;
}

static void page_free(struct late_calls *calls, size_t page)
{
	map_remove(&calls->pages, map_find(&calls->pages, calls->key[page]));
	calls->key[page] = 0;
	calls->free = memory_room(calls->free, calls->free_count, &calls->free_room,
				  sizeof(*calls->free));
	calls->free[calls->free_count++] = (uint32_t)page;
}

void late_calls_sweep(struct late_calls *calls, bool (*is_over)(void *state, size_t number),
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
