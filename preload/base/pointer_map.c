/* SPDX-License-Identifier: MIT */
/*
 * A key is claimed by compare-and-swap before its value is stored. A lookup goes from the newest
 * table to the oldest. In each table it stops at an empty entry or after PROBES entries.
 */
#include "preload/base/pointer_map.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#define PROBES 32u

static uint64_t level_size(unsigned int level)
{
	return (uint64_t)POINTER_MAP_FIRST << 2 * level;
}

static uint64_t key_home(uint64_t key, unsigned int level)
{
	return (key * 0x9e3779b97f4a7c15u >> 24) & (level_size(level) - 1);
}

/* Returns the entry of the key, or NULL. */
static struct pointer_map_entry *level_find(struct pointer_map *map, unsigned int level,
					    uint64_t key)
{
	struct pointer_map_entry *entry = atomic_load_explicit(&map->level[level].entry,
							       memory_order_acquire);
	uint64_t at = key_home(key, level);

	for (unsigned int i = 0; entry && i < PROBES; i++, at++) {
		struct pointer_map_entry *e = &entry[at & (level_size(level) - 1)];
		uint64_t seen = atomic_load_explicit(&e->key, memory_order_acquire);

		if (seen == key)
			return e;
		if (!seen)
			return NULL;
	}
	return NULL;
}

static struct pointer_map_entry *map_find(struct pointer_map *map, uint64_t key)
{
	uint32_t level = atomic_load_explicit(&map->levels, memory_order_acquire);

	while (level-- > 0) {
		struct pointer_map_entry *found = level_find(map, level, key);

		if (found)
			return found;
	}
	return NULL;
}

const void *pointer_map_find(struct pointer_map *map, uint64_t key)
{
	struct pointer_map_entry *entry = map_find(map, key);

	return entry ? atomic_load_explicit(&entry->value, memory_order_acquire) : NULL;
}

static struct pointer_map_entry *level_memory(struct pointer_map_level *at, unsigned int level)
{
	struct pointer_map_entry *entry = atomic_load(&at->entry);
	size_t bytes = level_size(level) * sizeof(*entry);
	int saved = errno;
	void *fresh;

	if (entry)
		return entry;
	fresh = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	errno = saved;
	if (fresh == MAP_FAILED)
		return NULL;
	if (atomic_compare_exchange_strong(&at->entry, &entry, fresh))
		return fresh;
	munmap(fresh, bytes);
	return entry;
}

/*
 * Call before the first key goes into a new table: a thread that adds a key must look into every
 * table first.
 */
static void levels_raise(struct pointer_map *map, uint32_t levels)
{
	uint32_t seen = atomic_load(&map->levels);

	while (seen < levels && !atomic_compare_exchange_weak(&map->levels, &seen, levels))
		;
}

/* Returns false if the table has no room for the key. */
static bool level_add(struct pointer_map *map, unsigned int level, uint64_t key, const void *value)
{
	struct pointer_map_level *at = &map->level[level];
	struct pointer_map_entry *entry;
	uint64_t home = key_home(key, level);

	if (atomic_load(&at->used) >= level_size(level) / 2)
		return false;
	entry = level_memory(at, level);
	if (entry)
		levels_raise(map, level + 1);
	for (unsigned int i = 0; entry && i < PROBES; i++, home++) {
		struct pointer_map_entry *e = &entry[home & (level_size(level) - 1)];
		uint64_t seen = 0;

		if (!atomic_compare_exchange_strong(&e->key, &seen, key) && seen != key)
			continue;
		if (!seen)
			atomic_fetch_add(&at->used, 1);
		atomic_store_explicit(&e->value, value, memory_order_release);
		return true;
	}
	return false;
}

bool pointer_map_put(struct pointer_map *map, uint64_t key, const void *value)
{
	struct pointer_map_entry *entry = map_find(map, key);

	if (entry) {
		atomic_store_explicit(&entry->value, value, memory_order_release);
		return true;
	}
	for (unsigned int level = 0; level < POINTER_MAP_LEVELS; level++)
		if (level_add(map, level, key, value))
			return true;
	return false;
}
