/* SPDX-License-Identifier: MIT */
/*
 * The parts of the map outside of the hot path: growth and removal, and the choice of the hash
 * multiplier.
 */
#include "report/base/map.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "report/base/memory.h"

#define MAP_ENTRIES_MIN 64
#define NEAR_ENTRIES 8u
#define REGION_BITS 8u /* a region has the size of NEAR_ENTRIES of the smallest blocks */

#define QUOTIENT_MAX 64u
#define DENOMINATOR_MAX (1u << 22) /* number of entries; a larger map may have longer searches */

static uint64_t secret = 1;

/*
 * Multiples of a fraction (of 2^64) are evenly spread, whatever their number, if the fraction is
 * not close to one with a small denominator: no quotient of its continued fraction is large.
 */
static bool multiples_are_even(uint64_t fraction)
{
	uint64_t whole = UINT64_MAX, denominator = 1, before = 0;

	while (fraction && denominator < DENOMINATOR_MAX) {
		uint64_t quotient = whole / fraction, rest = whole % fraction;
		uint64_t next = quotient * denominator + before;

		if (quotient > QUOTIENT_MAX)
			return false;
		before = denominator;
		denominator = next;
		whole = fraction;
		fraction = rest;
	}
	return denominator >= DENOMINATOR_MAX;
}

/*
 * Keys are often consecutive numbers, in one half of the key or the other, or addresses at a
 * regular distance.
 */
static bool multiplier_is_even(uint64_t multiplier)
{
	for (unsigned int bits = 0; bits <= 12; bits++)
		if (!multiples_are_even(multiplier << bits))
			return false;
	return multiples_are_even(multiplier << 32);
}

uint64_t map_multiplier(uint64_t random)
{
	/* about one number in fifty is suitable; splitmix64 generates the following ones */
	for (unsigned int tries = 0; tries < 10000; tries++) {
		uint64_t multiplier = random | 1;

		if (multiplier_is_even(multiplier))
			return multiplier;
		random += 0x9e3779b97f4a7c15ull;
		random = (random ^ random >> 30) * 0xbf58476d1ce4e5b9ull;
		random = (random ^ random >> 27) * 0x94d049bb133111ebull;
		random ^= random >> 31;
	}
	return random | 1;
}

/* Before main(), so that every thread has the same secret. */
__attribute__((constructor)) static void map_draw_secret(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);

	if (random)
		memcpy(&secret, random, sizeof(secret));
	secret = map_multiplier(secret ^ 0x9e3779b97f4a7c15ull);
}

void map_init(struct map *map)
{
	*map = (struct map){ .multiplier = secret };
}

void map_init_addresses(struct map *map)
{
	map_init(map);
	map->region_bits = REGION_BITS;
	map->near_mask = NEAR_ENTRIES - 1;
}

void map_release(struct map *map)
{
	free(map->entry);
	map->entry = NULL;
	map->count = map->limit = map->mask = 0;
}

void map_clear(struct map *map)
{
	if (!map->count)
		return;
	memset(map->entry, 0, (map->mask + 1) * sizeof(*map->entry));
	map->count = 0;
}

/* `size` is a number of entries, a power of two. */
static void map_resize(struct map *map, size_t size)
{
	struct map_entry *old = map->entry;
	size_t old_size = old ? map->mask + 1 : 0;

	map->entry = memory_zero(size, sizeof(*map->entry));
	/*
	 * accesses are spread over all of it: without this nearly every lookup also misses the TLB
	 */
	memory_ask_huge_pages(map->entry, size * sizeof(*map->entry));
	memory_populate(map->entry, size * sizeof(*map->entry));
	map->mask = size - 1;
	map->limit = size / 2;
	map->shift = 64 - (unsigned int)__builtin_ctzll(size);
	for (size_t i = 0; i < old_size; i++) {
		size_t at;

		if (!old[i].key)
			continue;
		at = map_slot(map, old[i].key);
		while (map->entry[at].key)
			at = (at + 1) & map->mask;
		map->entry[at] = old[i];
	}
	free(old);
}

void map_expand(struct map *map)
{
	map_resize(map, map->entry ? (map->mask + 1) * 2 : MAP_ENTRIES_MIN);
}

void map_reserve(struct map *map, size_t count)
{
	size_t size = MAP_ENTRIES_MIN;

	while (size / 2 <= count)
		size *= 2;
	if (map->limit <= count)
		map_resize(map, size);
}

/* Moves later entries of the run back over the hole, so that no tombstone is needed. */
void map_remove(struct map *map, struct map_entry *entry)
{
	size_t hole = (size_t)(entry - map->entry);

	for (size_t at = (hole + 1) & map->mask; map->entry[at].key; at = (at + 1) & map->mask) {
		size_t home = map_slot(map, map->entry[at].key);

		if (((at - home) & map->mask) < ((at - hole) & map->mask))
			continue;
		map->entry[hole] = map->entry[at];
		hole = at;
	}
	map->entry[hole].key = 0;
	map->count--;
}

uint64_t map_hash_bytes(const void *bytes, size_t length, uint64_t seed)
{
	const unsigned char *at = bytes;
	uint64_t hash = seed ^ (length * secret);

	for (; length >= 8; at += 8, length -= 8) {
		uint64_t word;

		memcpy(&word, at, sizeof(word));
		hash = (hash ^ word) * secret;
		hash ^= hash >> 32;
	}
	for (; length; at++, length--)
		hash = (hash ^ *at) * secret;
	hash ^= hash >> 29;
	hash *= secret;
	hash ^= hash >> 32;
	return hash ? hash : 1;
}
