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

static bool paths_endpoint_has_room(struct paths_endpoint *endpoint)
{
	uint32_t count = atomic_load_explicit(&endpoint->count, memory_order_relaxed);

	while (count < PATHS_OF_ENDPOINT)
		if (atomic_compare_exchange_weak(&endpoint->count, &count, count + 1))
			return true;
	return false;
}

/* A slot that is taken by another thread meanwhile costs the endpoint one path of its number. */
bool paths_keeps(struct paths *paths, uint64_t endpoint, uint64_t path)
{
	struct paths_endpoint *of = NULL;

	for (uint32_t i = 0; i < PROBES; i++) {
		_Atomic uint64_t *at = &paths->path[(path + i) % PATHS_SLOTS];
		uint64_t found = atomic_load_explicit(at, memory_order_relaxed);

		if (found && found != path)
			continue;
		if (found)
			return true;
		/* the first of its probes that is free: it was not kept before */
		if (!of) {
			of = paths_endpoint_of(paths, endpoint);
			if (!of || !paths_endpoint_has_room(of))
				return false;
		}
		if (atomic_compare_exchange_strong(at, &found, path) || found == path)
			return true;
	}
	return false;
}
