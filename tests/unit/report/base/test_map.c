/* SPDX-License-Identifier: MIT */
/* links: report */
/* report/base/map.c: what is put is found, and no number that may be drawn makes searches long. */
#include "tests/unit/unit.h"
#include "report/base/map.h"

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed ^ *seed >> 29;
}

TEST(what_is_put_is_found)
{
	enum { KEYS = 5000 };
	uint64_t seed = 1, sum = 0;
	struct map map;
	bool added;

	map_init(&map);
	for (uint64_t i = 1; i <= KEYS; i++) {
		map_put(&map, i * i, &added)->value = i;
		assert_true(added);
		map_put(&map, i * i, &added)->value += 1;
		assert_false(added);
	}
	for (unsigned int i = 0; i < KEYS / 2; i++) { /* any of them */
		uint64_t number = next_random(&seed) % KEYS + 1;
		struct map_entry *entry = map_find(&map, number * number);

		if (entry) {
			assert_int_equal(entry->value, number + 1);
			map_remove(&map, entry);
			assert_null(map_find(&map, number * number));
			sum += number + 1;
		}
	}
	for (const struct map_entry *entry = NULL; (entry = map_next(&map, entry));)
		sum += entry->value;
	assert_int_equal(sum, (uint64_t)KEYS * (KEYS + 1) / 2 + KEYS);
	map_release(&map);
}

/*
 * Entries that are looked at, for each of so many keys that are `apart`, when they are put into a
 * map that grows no more.
 */
static double looks_of(uint64_t multiplier, uint64_t apart, uint32_t keys)
{
	struct map map;
	uint64_t looks = 0;
	bool added;

	map_init(&map);
	map.multiplier = multiplier;
	map_reserve(&map, keys);
	for (uint64_t i = 1; i <= keys; i++) {
		size_t home = map_slot(&map, i * apart);
		const struct map_entry *entry = map_put(&map, i * apart, &added);

		looks += (((size_t)(entry - map.entry) - home) & map.mask) + 1;
	}
	map_release(&map);
	return (double)looks / keys;
}

/* The number of a process, shifted by any number of bits, must not lead to another one's key. */
TEST(words_of_processes_have_their_own_keys)
{
	enum { PROCESSES = 40 };
	struct map map;
	bool added;

	map_init(&map);
	for (uint64_t process = 0; process < PROCESSES; process++) {
		map_put(&map, map_key_of(&map, (uint32_t)process, 0), &added);
		assert_true(added);
		for (unsigned int shift = 0; shift < 58; shift++) { /* no bit is lost */
			uint64_t word = (process + 1) << shift;

			(void)map_put(&map, map_key_of(&map, (uint32_t)process, word), &added);
			assert_true(added);
		}
	}
	assert_int_equal(map.count, PROCESSES * 59);
	map_release(&map);
}

TEST(searches_are_short_whatever_is_drawn)
{
	static const uint64_t aparts[] = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 4096, 1ull << 32 };
	static const uint32_t counts[] = { 30, 400, 3000 };
	uint64_t seed = 2;

	for (unsigned int drawn = 0; drawn < 500; drawn++) {
		uint64_t multiplier = map_multiplier(next_random(&seed));

		assert_int_equal(multiplier % 2, 1);
		for (size_t i = 0; i < sizeof(aparts) / sizeof(aparts[0]); i++)
			for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++)
				assert_true(looks_of(multiplier, aparts[i], counts[k]) < 9);
	}
}

/* What would be good is left as it is; what never was is replaced. */
TEST(a_number_is_replaced_only_where_it_has_to_be)
{
	uint64_t seed = 3;

	for (unsigned int i = 0; i < 20; i++) {
		uint64_t multiplier = map_multiplier(next_random(&seed));

		assert_true(map_multiplier(multiplier) == multiplier);
	}
	assert_true(map_multiplier(0) > UINT32_MAX);
	assert_true(map_multiplier(UINT64_MAX) != UINT64_MAX);
	assert_true(looks_of(1ull << 40 | 1, 1, 400) > 100); /* what is avoided */
}
