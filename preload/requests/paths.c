/* SPDX-License-Identifier: MIT */
/*
 * Open addressing with few probes: what finds no slot there is not recorded. Slots are claimed by
 * compare-and-swap and never freed, so a path that was kept once stays so.
 */
#include "preload/requests/paths.h"

#include <stddef.h>

#define PROBES 16u

/* Returns NULL if there is no room. */
static struct paths_endpoint *paths_endpoint_of(struct paths *paths, uint64_t hash)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		struct paths_endpoint *at = &paths->endpoint[(hash + i) % PATHS_ENDPOINTS];
		uint64_t found = 0;

		if (atomic_load_explicit(&at->hash, memory_order_relaxed) == hash ||
		    atomic_compare_exchange_strong(&at->hash, &found, hash) || found == hash)
			return at;
	}
	return NULL;
}

static bool paths_count_below(_Atomic uint32_t *counter, uint32_t most)
{
	uint32_t count = atomic_load_explicit(counter, memory_order_relaxed);

	while (count < most)
		if (atomic_compare_exchange_weak(counter, &count, count + 1))
			return true;
	return false;
}

/* The slot that has the value, or a free one; NULL: there is no room. */
static _Atomic uint64_t *paths_slot(_Atomic uint64_t *slots, uint32_t count, uint64_t value,
				    uint64_t *ret_found)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		_Atomic uint64_t *at = &slots[(value + i) % count];

		*ret_found = atomic_load_explicit(at, memory_order_relaxed);
		if (!*ret_found || *ret_found == value)
			return at;
	}
	return NULL;
}

/* For a value that has been counted: its count is lost if others take the last free slots. */
static bool paths_put(_Atomic uint64_t *slots, uint32_t count, uint64_t value)
{
	_Atomic uint64_t *at;
	uint64_t found;

	while ((at = paths_slot(slots, count, value, &found)))
		if (found || atomic_compare_exchange_strong(at, &found, value))
			return true;
	return false;
}

bool paths_keeps(struct paths *paths, uint64_t endpoint, uint64_t path)
{
	uint64_t found;
	struct paths_endpoint *of;

	if (!paths_slot(paths->path, PATHS_SLOTS, path, &found) || found)
		return found == path;
	of = paths_endpoint_of(paths, endpoint);
	return of && paths_count_below(&of->count, PATHS_OF_ENDPOINT) &&
	       paths_put(paths->path, PATHS_SLOTS, path);
}

bool paths_names(struct paths *paths, uint64_t endpoint, uint32_t most)
{
	uint64_t found;

	if (!paths_slot(paths->named, PATHS_NAMED_SLOTS, endpoint, &found) || found)
		return found == endpoint;
	return paths_count_below(&paths->named_count, most) &&
	       paths_put(paths->named, PATHS_NAMED_SLOTS, endpoint);
}

/* Parents are counted in the table of endpoints, by hashes that no endpoint has. */
bool paths_takes_sibling(struct paths *paths, uint64_t parent)
{
	struct paths_endpoint *of = paths_endpoint_of(paths, ~parent ? ~parent : 1);

	return !of || paths_count_below(&of->count, PATHS_SIBLINGS);
}

bool paths_has_route(struct paths *paths, uint64_t key)
{
	uint64_t found;

	return !paths_slot(paths->route, PATHS_ROUTE_SLOTS, key, &found) || found;
}

void paths_put_route(struct paths *paths, uint64_t key)
{
	(void)paths_put(paths->route, PATHS_ROUTE_SLOTS, key);
}
