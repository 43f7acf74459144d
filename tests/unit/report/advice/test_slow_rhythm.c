/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/advice/slow_rhythm.c: slow steps at regular distances. */
#include "tests/unit/unit.h"
#include "report/advice/slow_rhythm.h"

#define STEPS 32u

static struct slow_step step[STEPS];
static size_t count;

static void slow(uint64_t number, uint64_t excess_ns)
{
	step[count++] = (struct slow_step){ number, excess_ns };
}

static uint64_t rhythm(void)
{
	size_t steps = count;

	count = 0;
	return slow_rhythm_find(step, steps);
}

TEST(every_so_many_steps)
{
	for (uint64_t number = 19; number < 200; number += 19)
		slow(number, 1000 + number);
	assert_int_equal(rhythm(), 19);
}

TEST(a_few_that_are_slow_by_chance_hide_nothing)
{
	for (uint64_t number = 7; number < 300; number += 50) {
		slow(number, 1000);
		slow(number + 11 + number % 3, 60);
	}
	assert_int_equal(rhythm(), 50);
}

TEST(one_of_many_may_be_missing)
{
	for (uint64_t number = 10; number < 200; number += 10)
		if (number != 60)
			slow(number, 1000);
	assert_int_equal(rhythm(), 10);
}

TEST(chance_is_no_rhythm)
{
	static const uint64_t numbers[] = { 3, 14, 15, 92, 265, 358, 979, 3238 };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		slow(numbers[i], 1000);
	assert_int_equal(rhythm(), 0);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		slow(numbers[i], i == 3 ? 100000 : 10);
	assert_int_equal(rhythm(), 0);
}

TEST(two_slow_steps_are_no_rhythm)
{
	slow(100, 1000);
	slow(200, 1000);
	assert_int_equal(rhythm(), 0);
	assert_int_equal(rhythm(), 0);
}

TEST(neighbours_are_no_rhythm)
{
	for (uint64_t number = 100; number < 120; number++)
		slow(number, 1000);
	assert_int_equal(rhythm(), 0);
}

TEST(numbers_at_the_ends_of_the_range)
{
	slow(0, 1);
	slow(UINT64_MAX / 2, 1);
	slow(UINT64_MAX - 1, 1);
	assert_int_equal(rhythm(), UINT64_MAX / 2);
}
