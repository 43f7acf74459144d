/* SPDX-License-Identifier: MIT */
/* links: preload:base/pointer_map.c */
/* Handles to pointers: what was put is found, whatever the keys, the number and the threads. */
#include <pthread.h>

#include "tests/unit/unit.h"
#include "preload/base/pointer_map.h"

#define MANY 200000u
#define THREADS 4u

static const void *pointer_of(uint64_t number)
{
	return (const void *)(uintptr_t)(number * 16 + 16);
}

TEST(an_empty_map_has_nothing)
{
	static struct pointer_map map;

	assert_null(pointer_map_find(&map, 1));
	assert_null(pointer_map_find(&map, UINT64_MAX));
}

TEST(the_last_value_put_is_found)
{
	static struct pointer_map map;

	assert_true(pointer_map_put(&map, 7, pointer_of(1)));
	assert_true(pointer_map_put(&map, 7, pointer_of(2)));
	assert_ptr_equal(pointer_map_find(&map, 7), pointer_of(2));
	assert_true(pointer_map_put(&map, 7, NULL));
	assert_null(pointer_map_find(&map, 7));
	assert_true(pointer_map_put(&map, 7, pointer_of(3)));
	assert_ptr_equal(pointer_map_find(&map, 7), pointer_of(3));
	assert_int_equal(map.level[0].used, 1);
}

/* Handles are addresses: neighbours, multiples of a page, and the same low bits. */
TEST(many_keys_of_any_kind_are_found)
{
	static const uint64_t steps[] = { 1, 16, 4096, 1ull << 32, 0x9e3779b97f4a7c15u };
	static struct pointer_map map[5];

	for (unsigned int s = 0; s < 5; s++) {
		for (uint64_t i = 1; i <= MANY; i++)
			assert_true(pointer_map_put(&map[s], i * steps[s], pointer_of(i)));
		for (uint64_t i = 1; i <= MANY; i++)
			assert_ptr_equal(pointer_map_find(&map[s], i * steps[s]), pointer_of(i));
		assert_null(pointer_map_find(&map[s], (MANY + 1) * steps[s]));
	}
}

/* A table that was half full when a key came is passed by; the key is not added twice. */
TEST(a_replaced_key_stays_one_entry)
{
	static struct pointer_map map;
	uint64_t used = 0;

	for (uint64_t i = 1; i <= MANY; i++)
		assert_true(pointer_map_put(&map, i * 64, pointer_of(i)));
	for (uint64_t i = 1; i <= MANY; i++)
		assert_true(pointer_map_put(&map, i * 64, pointer_of(i + 1)));
	for (unsigned int i = 0; i < POINTER_MAP_LEVELS; i++)
		used += map.level[i].used;
	assert_int_equal(used, MANY);
}

static struct pointer_map shared;

static void *put_a_share(void *number)
{
	for (uint64_t i = 1 + (uintptr_t)number; i <= MANY; i += THREADS) {
		pointer_map_put(&shared, i * 8, pointer_of(i));
		if (pointer_map_find(&shared, i * 8) != pointer_of(i))
			return &shared;
	}
	return NULL;
}

TEST(threads_find_what_each_has_put)
{
	pthread_t thread[THREADS];
	void *failed;

	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, put_a_share, (void *)i), 0);
	for (unsigned int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(thread[i], &failed), 0);
		assert_null(failed);
	}
	for (uint64_t i = 1; i <= MANY; i++)
		assert_ptr_equal(pointer_map_find(&shared, i * 8), pointer_of(i));
}
