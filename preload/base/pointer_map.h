/* SPDX-License-Identifier: MIT */
/*
 * A map from numbers to pointers: from handles of the program to what is known of them. Any thread,
 * signal handlers too; no lock. The first entry maps the memory with mmap(), and each further table
 * is four times as large. Memory is never given back, and an entry is never removed, only set to
 * NULL. Keys are not 0.
 *
 * Open addressing in up to POINTER_MAP_LEVELS tables. The next table begins when the last one is
 * half full. If two threads put the same new key at once, they may make two entries; a lookup finds
 * the one in the later table.
 */
#ifndef PRELOAD_BASE_POINTER_MAP_H
#define PRELOAD_BASE_POINTER_MAP_H

#include <stdbool.h>
#include <stdint.h>

#define POINTER_MAP_LEVELS 7u
#define POINTER_MAP_FIRST 1024u /* entries of the first table */

struct pointer_map_entry {
	_Atomic uint64_t key;
	_Atomic(const void *) value;
};

struct pointer_map {
	struct pointer_map_level {
		_Atomic(struct pointer_map_entry *) entry;
		_Atomic uint64_t used;
	} level[POINTER_MAP_LEVELS];
	_Atomic uint32_t levels; /* number of tables that may have keys */
};

/* NULL: no entry, or the entry's value is NULL. */
const void *pointer_map_find(struct pointer_map *map, uint64_t key);
/*
 * Adds or replaces an entry. Returns false if there is no memory, or there are 4 million
 * entries.
 */
bool pointer_map_put(struct pointer_map *map, uint64_t key, const void *value);

#endif
