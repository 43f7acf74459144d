/* SPDX-License-Identifier: MIT */
/*
 * Calls by their number: each is found with its places, whatever numbers there are, until it is
 * over.
 */
/* links: report format */
#include "tests/unit/unit.h"
#include "report/deferred/deferred_calls.h"

#define PLACES 3u

static struct deferred_calls calls;

static int setup(void **state)
{
	deferred_calls_init(&calls);
	calls.places = PLACES;
	return 0;
}

static int teardown(void **state)
{
	deferred_calls_release(&calls);
	return 0;
}

static void put(uint32_t process, uint64_t correlation, uint64_t end_ns)
{
	size_t at = deferred_calls_put(&calls, process, correlation);

	calls.call[at] = (struct deferred_call){ .end_ns = end_ns, .exists = true };
	for (size_t i = 0; i < PLACES; i++)
		deferred_call_places(&calls, at)[i] = end_ns * 10 + i;
}

static void expect_call(uint32_t process, uint64_t correlation, uint64_t end_ns)
{
	size_t at = deferred_calls_find(&calls, process, correlation);

	assert_true(at != DEFERRED_NO_CALL);
	assert_int_equal(calls.call[at].end_ns, end_ns);
	for (size_t i = 0; i < PLACES; i++)
		assert_int_equal(deferred_call_places(&calls, at)[i], end_ns * 10 + i);
}

static bool is_before(void *state, size_t number)
{
	return calls.call[number].end_ns < *(const uint64_t *)state;
}

static void sweep(uint64_t before_ns)
{
	deferred_calls_sweep(&calls, is_before, &before_ns);
}

TEST_BOTH(numbers_in_a_row, setup, teardown)
{
	for (uint64_t i = 1; i < 5000; i++) {
		put(i % 3, i, i);
		expect_call(i % 3, i, i);
	}
	for (uint64_t i = 1; i < 5000; i++) {
		expect_call(i % 3, i, i);
		assert_true(deferred_calls_find(&calls, (i + 1) % 3, i) == DEFERRED_NO_CALL);
	}
	assert_true(deferred_calls_find(&calls, 0, 5001) == DEFERRED_NO_CALL);
	assert_true(deferred_calls_find(&calls, 7, 3) == DEFERRED_NO_CALL);
}

TEST_BOTH(numbers_far_apart, setup, teardown)
{
	for (uint64_t i = 0; i < 1000; i++)
		put(UINT32_MAX, UINT32_MAX - i * 4000000, i);
	for (uint64_t i = 0; i < 1000; i++)
		expect_call(UINT32_MAX, UINT32_MAX - i * 4000000, i);
}

TEST_BOTH(what_is_over_makes_room, setup, teardown)
{
	size_t pages = 0;

	for (uint64_t round = 1; round < 50; round++) {
		for (uint64_t i = 0; i < 1000; i++)
			put(0, round * 1000 + i, round);
		sweep(round);
		if (round == 2)
			pages = calls.page_count;
		expect_call(0, round * 1000 + 500, round);
		assert_true(deferred_calls_find(&calls, 0, round * 1000 - 500) == DEFERRED_NO_CALL);
	}
	assert_true(calls.page_count <= pages + 1); /* those of earlier rounds are used again */
	sweep(UINT64_MAX);
	assert_int_equal(calls.page_count, calls.free_count);
}

TEST_BOTH(what_is_not_over_stays, setup, teardown)
{
	for (uint64_t i = 0; i < 1000; i++)
		put(0, i, i % 2);
	sweep(1);
	for (uint64_t i = 1; i < 1000; i += 2) {
		expect_call(0, i, 1);
		assert_true(deferred_calls_find(&calls, 0, i - 1) == DEFERRED_NO_CALL);
	}
}

TEST_BOTH(sweeps_wait_for_pages, setup, teardown)
{
	uint64_t i = 0;

	for (; !deferred_calls_want_sweep(&calls) && i < 1u << 20; i++)
		put(0, i * DEFERRED_PAGE_CALLS, i);
	assert_true(i < 1u << 20);
	sweep(0);
	assert_false(deferred_calls_want_sweep(&calls));
}
