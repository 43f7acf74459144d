/* SPDX-License-Identifier: MIT */
/*
 * A cache of ids by key: a bounded table of the process that any thread and signal handler reads
 * and writes without a lock. An evicted id is computed again. After a race an entry may be made of
 * halves of two entries, which matches no key.
 */
#ifndef PRELOAD_PYFRAMES_ID_CACHE_H
#define PRELOAD_PYFRAMES_ID_CACHE_H

#include <stdint.h>

#define ID_CACHE_LINE 4u /* entries of a line, which are searched */

struct id_entry {
	uint64_t mark; /* key ^ id */
	uint64_t id;   /* 0: free */
};

/*
 * Returns the id and its place, or 0 and the place where it belongs. `entries` is a power of two.
 */
static inline uint64_t id_cache_find(struct id_entry *cache, uint64_t entries, uint64_t key,
				     struct id_entry **ret_at)
{
	struct id_entry *line = &cache[key & (entries - 1) & ~(uint64_t)(ID_CACHE_LINE - 1)];

	*ret_at = &line[key >> 60 & (ID_CACHE_LINE - 1)];
	for (unsigned int i = 0; i < ID_CACHE_LINE; i++) {
		uint64_t id = __atomic_load_n(&line[i].id, __ATOMIC_RELAXED);

		if (id && (__atomic_load_n(&line[i].mark, __ATOMIC_RELAXED) ^ id) == key) {
			*ret_at = &line[i];
			return id;
		}
		if (!id)
			*ret_at = &line[i];
	}
	return 0;
}

static inline void id_cache_put(struct id_entry *at, uint64_t key, uint64_t id)
{
	__atomic_store_n(&at->id, id, __ATOMIC_RELAXED);
	__atomic_store_n(&at->mark, key ^ id, __ATOMIC_RELAXED);
}

#endif
