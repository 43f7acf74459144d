/* SPDX-License-Identifier: MIT */
/* links: preload:heap/sampled_blocks.c,stacks/pages.c */
/* build: -pthread */
/*
 * preload/heap/sampled_blocks.c: what is put in is found until it is taken out, whoever else is
 * there.
 */
#include <pthread.h>

#include "tests/unit/unit.h"

#include "preload/heap/sampled_blocks.h"

static const void *block_at(uint64_t number)
{
	return (const void *)(uintptr_t)(0x7f0000000000 + number * 16);
}

static int begin(void **state)
{
	if (!sampled_blocks_begin())
		return -1;
	sampled_blocks_forget();
	return 0;
}

TEST_SET_UP(a_block_is_found_until_it_is_taken, begin)
{
	assert_false(sampled_blocks_have(block_at(1)));
	assert_false(sampled_blocks_take(block_at(1)));
	assert_true(sampled_blocks_put(block_at(1)));
	assert_true(sampled_blocks_put(block_at(1)));
	assert_true(sampled_blocks_may_have(block_at(1)));
	assert_true(sampled_blocks_have(block_at(1)));
	assert_false(sampled_blocks_have(block_at(2)));
	assert_true(sampled_blocks_take(block_at(1)));
	assert_false(sampled_blocks_take(block_at(1)));
	assert_false(sampled_blocks_may_have(block_at(1)));
}

/* Blocks of one place of the filter, more than it can count. */
TEST_SET_UP(blocks_of_one_place, begin)
{
	const uint64_t apart = 1u << SAMPLED_FILTER_BITS;
	uint64_t found[400], count = 0;

	for (uint64_t i = 0; count < 400; i++)
		if (sampled_place(block_at(i * apart ^ i)) == sampled_place(block_at(0)))
			found[count++] = i * apart ^ i;
	for (uint64_t i = 0; i < count; i++)
		assert_true(sampled_blocks_put(block_at(found[i])));
	for (uint64_t i = 1; i < count; i++)
		assert_true(sampled_blocks_take(block_at(found[i])));
	assert_true(sampled_blocks_have(block_at(found[0])));
	assert_true(sampled_blocks_take(block_at(found[0])));
	assert_false(sampled_blocks_have(block_at(found[0])));
}

/* Half full there is room for each, and what has no room is refused. */
TEST_SET_UP(there_is_an_end_to_it, begin)
{
	uint64_t put = 0, taken = 0;

	for (uint64_t i = 0; i < SAMPLED_BLOCKS / 2; i++)
		assert_true(sampled_blocks_put(block_at(i * 7)));
	for (uint64_t i = SAMPLED_BLOCKS / 2; i < 2 * SAMPLED_BLOCKS; i++)
		put += sampled_blocks_put(block_at(i * 7));
	assert_in_range(put, 1, SAMPLED_BLOCKS / 2);
	for (uint64_t i = 0; i < 2 * SAMPLED_BLOCKS; i++)
		taken += sampled_blocks_take(block_at(i * 7));
	assert_int_equal(taken, SAMPLED_BLOCKS / 2 + put);
	for (uint64_t i = 0; i < SAMPLED_BLOCKS; i++)
		assert_false(sampled_blocks_have(block_at(i * 7)));
}

static void *put_and_take(void *argument)
{
	uintptr_t thread = (uintptr_t)argument, wrong = 0;

	for (uint64_t round = 0; round < 20000; round++) {
		const void *block = block_at(round % 64 * 4 + thread);

		wrong += !sampled_blocks_put(block);
		wrong += !sampled_blocks_have(block);
		wrong += !sampled_blocks_take(block);
		wrong += sampled_blocks_have(block);
	}
	return (void *)wrong;
}

TEST_SET_UP(threads_have_blocks_of_their_own, begin)
{
	pthread_t thread[4];
	void *wrong;

	for (uintptr_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, put_and_take, (void *)i), 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(thread[i], &wrong), 0);
		assert_null(wrong);
	}
	for (uint64_t i = 0; i < 256; i++)
		assert_false(sampled_blocks_have(block_at(i)));
}

TEST_SET_UP(a_forked_child_begins_with_none, begin)
{
	assert_true(sampled_blocks_put(block_at(5)));
	sampled_blocks_forget();
	assert_false(sampled_blocks_may_have(block_at(5)));
	assert_false(sampled_blocks_have(block_at(5)));
}
