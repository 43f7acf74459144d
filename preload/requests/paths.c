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
			if (!of || !paths_count_below(&of->count, PATHS_OF_ENDPOINT))
				return false;
		}
		if (atomic_compare_exchange_strong(at, &found, path) || found == path)
			return true;
	}
	return false;
}

bool paths_names(struct paths *paths, uint64_t endpoint, uint32_t most)
{
	bool is_counted = false;

	for (uint32_t i = 0; i < PROBES; i++) {
		_Atomic uint64_t *at = &paths->named[(endpoint + i) % PATHS_NAMED_SLOTS];
		uint64_t found = atomic_load_explicit(at, memory_order_relaxed);

		if (found && found != endpoint)
			continue;
		if (found)
			return true;
		if (!is_counted && !paths_count_below(&paths->named_count, most))
			return false;
		is_counted = true;
		if (atomic_compare_exchange_strong(at, &found, endpoint) || found == endpoint)
			return true;
	}
	return false;
}
