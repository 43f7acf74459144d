/* SPDX-License-Identifier: MIT */
/* links: report */
/* report/base/intervals.c against an array with a tag for each number. */
#include "tests/unit/unit.h"

#include "report/base/intervals.h"

#define NUMBERS 20000u
#define ROUNDS 60000u

static struct intervals intervals;
static uint32_t wanted[NUMBERS], seen[NUMBERS]; /* tags, 0: nothing there */
static uint64_t gone_sum, gone_pieces;

static int teardown(void **state)
{
	intervals_release(&intervals);
	memset(wanted, 0, sizeof(wanted));
	gone_sum = gone_pieces = 0;
	return 0;
}

static void take_gone(void *context, const struct interval *piece)
{
	(void)context;
	assert_true(piece->start < piece->end);
	gone_sum += piece->end - piece->start;
	gone_pieces++;
}

static void take_seen(void *context, const struct interval *piece)
{
	uint64_t *last = context;

	assert_true(piece->start >= *last && piece->start < piece->end);
	*last = piece->end;
	for (uint64_t i = piece->start; i < piece->end; i++)
		seen[i] = piece->tag;
}

static void compare(uint64_t from, uint64_t to)
{
	uint64_t last = from;

	memset(seen, 0, sizeof(seen));
	intervals_each(&intervals, from, to, take_seen, &last);
	assert_true(last <= to);
	assert_memory_equal(&seen[from], &wanted[from], (to - from) * sizeof(*wanted));
}

static uint64_t model_erase(uint64_t from, uint64_t to)
{
	uint64_t there = 0;

	for (uint64_t i = from; i < to; i++) {
		there += wanted[i] != 0;
		wanted[i] = 0;
	}
	return there;
}

static uint32_t draw(uint32_t below)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 11) % below;
}

TEST_TEAR_DOWN(test_ranges_are_those_of_the_model, teardown)
{
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		uint64_t from = draw(NUMBERS), bytes = 1 + draw(draw(8) ? 40 : 4000), there;
		uint64_t to = from + bytes < NUMBERS ? from + bytes : NUMBERS;
		uint64_t before = gone_sum;

		there = model_erase(from, to);
		intervals_erase(&intervals, from, to, take_gone, NULL);
		assert_int_equal(gone_sum - before, there);
		if (draw(3)) {
			assert_true(
				intervals_put(&intervals, &(struct interval){ from, to, round }));
			for (uint64_t i = from; i < to; i++)
				wanted[i] = round;
		}
		if (round % 500 == 0)
			compare(0, NUMBERS);
		compare(from, to);
	}
	intervals_erase(&intervals, 0, UINT64_MAX, take_gone, NULL);
	assert_int_equal(intervals.count, 0);
	assert_int_equal(intervals.chunks, 0);
}

TEST_TEAR_DOWN(test_what_is_no_range_is_refused, teardown)
{
	assert_false(intervals_put(&intervals, &(struct interval){ 5, 5, 1 }));
	assert_false(intervals_put(&intervals, &(struct interval){ 6, 5, 1 }));
	intervals_erase(&intervals, 0, UINT64_MAX, take_gone, NULL);
	intervals_erase(&intervals, 7, 3, take_gone, NULL);
	assert_true(intervals_put(&intervals, &(struct interval){ UINT64_MAX - 1, UINT64_MAX, 1 }));
	intervals_erase(&intervals, 9, 3, take_gone, NULL);
	assert_int_equal(gone_pieces, 0);
	assert_int_equal(intervals.count, 1);
}

/* A hole that would make one too many costs what lies behind it, and `gone` hears of that. */
TEST_TEAR_DOWN(test_ranges_are_bounded, teardown)
{
	for (uint64_t i = 0; i < INTERVALS_MAX; i++)
		assert_true(intervals_put(&intervals, &(struct interval){ i * 4, i * 4 + 3, 1 }));
	assert_false(intervals_put(&intervals, &(struct interval){ 4ull * INTERVALS_MAX,
								   4ull * INTERVALS_MAX + 1, 1 }));
	intervals_erase(&intervals, 401, 402, take_gone, NULL);
	assert_int_equal(gone_sum, 2);
	assert_int_equal(intervals.count, INTERVALS_MAX);
	intervals_erase(&intervals, 0, 400, take_gone, NULL);
	assert_int_equal(intervals.count, INTERVALS_MAX - 100);
	assert_int_equal(gone_sum, 302);
}
