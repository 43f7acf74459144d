/* SPDX-License-Identifier: MIT */
/*
 * A map from 64-bit keys to 64-bit values: open addressing, linear probing, no tombstones. Entries
 * of 16 bytes; a lookup is inlined and usually touches one cache line.
 *
 * A map of addresses keeps neighbours together: blocks that are next to each other in memory are
 * often allocated and freed together, and 8 entries share two cache lines.
 *
 * Key 0 means "no entry": callers shift their keys so that it does not occur. The hash is
 * multiplied by a number drawn once a run, so that a file cannot be made to collide; results must
 * not depend on the order of entries, so that map_next() is for sums only.
 */
#ifndef REPORT_BASE_MAP_H
#define REPORT_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAP_BLOCK_BITS 5u /* malloc's smallest block takes 32 bytes */

struct map_entry {
	uint64_t key, value;
};

struct map {
	struct map_entry *entry; /* NULL until the first put */
	size_t mask, count, limit;
	uint64_t multiplier;
	unsigned int shift;
	unsigned int region_bits, near_mask; /* 0 except in a map of addresses */
};

void map_init(struct map *map);
void map_init_addresses(struct map *map);
void map_release(struct map *map);
void map_clear(struct map *map);
void map_expand(struct map *map);
/*
 * Makes room for `count` entries in total. Call this before copying another map's entries. They
 * arrive in hash order and would fill one end of a growing table, which makes every lookup linear.
 */
void map_reserve(struct map *map, size_t count);
void map_remove(struct map *map, struct map_entry *entry);

static inline size_t map_slot(const struct map *map, uint64_t key)
{
	size_t home = (size_t)(((key >> map->region_bits) * map->multiplier) >> map->shift);

	return (home + ((key >> MAP_BLOCK_BITS) & map->near_mask)) & map->mask;
}

static inline void map_prefetch(const struct map *map, uint64_t key)
{
	if (map->entry)
		__builtin_prefetch(&map->entry[map_slot(map, key)], 1);
}

/*
 * Reads the entry's place without using the value, so that many such reads wait for memory at the
 * same time. Unlike a prefetch, the read is not dropped if the address translation is not cached.
 */
static inline void map_touch(const struct map *map, uint64_t key)
{
	if (map->entry)
		(void)*(const volatile uint64_t *)&map->entry[map_slot(map, key)].key;
}

/* Returns the entry of `key` or NULL; valid until the next put or remove. */
static inline struct map_entry *map_find(const struct map *map, uint64_t key)
{
	if (!map->count || !key)
		return NULL;
	for (size_t at = map_slot(map, key);; at = (at + 1) & map->mask) {
		struct map_entry *entry = &map->entry[at];

		if (entry->key == key)
			return entry;
		if (!entry->key)
			return NULL;
	}
}

/* Returns the entry of `key`, which must not be 0. A new entry has value 0 and sets *ret_added. */
static inline struct map_entry *map_put(struct map *map, uint64_t key, bool *ret_added)
{
	if (map->count >= map->limit)
		map_expand(map);
	for (size_t at = map_slot(map, key);; at = (at + 1) & map->mask) {
		struct map_entry *entry = &map->entry[at];

		if (entry->key == key) {
			*ret_added = false;
			return entry;
		}
		if (!entry->key) {
			*ret_added = true;
			entry->key = key;
			entry->value = 0;
			map->count++;
			return entry;
		}
	}
}

/*
 * Returns the key of a process's word, such as an address or a handle; never 0. All 64 bits of the
 * word may be used: addresses have up to 56 bits on x86-64 (LA57) and 52 on aarch64 (LVA), and
 * allocators may put a tag above (MTE). Two words of a process have different keys. Words of two
 * processes have the same key only by chance, one in 2^64.
 */
static inline uint64_t map_key_of(const struct map *map, uint32_t process, uint64_t word)
{
	uint64_t key = ((uint64_t)process + 1) * map->multiplier ^ word;

	return key + !key;
}

/*
 * Returns the entry after `after`, or the first if that is NULL; NULL at the end. The order is
 * arbitrary.
 */
static inline struct map_entry *map_next(const struct map *map, const struct map_entry *after)
{
	for (size_t at = after ? (size_t)(after - map->entry) + 1 : 0;
	     map->entry && at <= map->mask; at++)
		if (map->entry[at].key)
			return &map->entry[at];
	return NULL;
}

/*
 * Turns a random number into a hash multiplier under which keys at a regular distance do not
 * cluster. One random number in a hundred, used unchanged, would cause searches of hundreds of
 * entries. For tests; each map has its own multiplier.
 */
uint64_t map_multiplier(uint64_t random);

/* Hash of bytes for text keys, with the same secret; never 0. */
uint64_t map_hash_bytes(const void *bytes, size_t length, uint64_t seed);

#endif
