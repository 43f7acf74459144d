/* SPDX-License-Identifier: MIT */
/* INTERCEPT_BUDGET: what is taken and refused; which steps are drawn. */
/* links: preload:settings/budget.c,base/parse.c */

#include "tests/unit/unit.h"

#include "preload/settings/budget.h"

#define STEPS 100000u

static struct budget taken(const char *text)
{
	struct budget budget;

	if (!budget_parse(text, &budget))
		fail_msg("'%s' is refused", text);
	return budget;
}

TEST(takes_percentages)
{
	assert_false(budget_is_on(&(struct budget){ 0 }));
	assert_int_equal(taken("2%").parts_per_million, 20000);
	assert_int_equal(taken("0.5%").parts_per_million, 5000);
	assert_int_equal(taken("0.05%").parts_per_million, 500);
	assert_int_equal(taken("50%").parts_per_million, 500000);
	assert_int_equal(taken("2%").first, BUDGET_FIRST_STEPS);
	assert_false(taken("2%").first_is_set);
	assert_int_equal(taken("2%,first=7").first, 7);
	assert_true(taken("2%,first=0").first_is_set);
	assert_false(budget_is_on(&(struct budget){ .first = taken("off").first }));
}

TEST(takes_shares)
{
	assert_int_equal(taken("1/2").share, 1u << 31);
	assert_int_equal(taken("1/1024").share, 1u << 22);
	assert_int_equal(taken("1/8,first=40").first, 40);
	assert_int_equal(taken("1/8").parts_per_million, 0);
}

TEST(takes_times)
{
	assert_int_equal(taken("2%").first_ns, BUDGET_FIRST_NS);
	assert_int_equal(taken("2%,first=7").first_ns, 0);
	assert_int_equal(taken("2%,first=500ms").first_ns, 500000000);
	assert_int_equal(taken("1/8,first=20s").first_ns, 20000000000);
	assert_int_equal(taken("1/8,first=20s").first, BUDGET_FIRST_STEPS);
	assert_false(taken("1/8,first=20s").first_is_set);
	assert_int_equal(taken("off").first_ns, 0);
}

TEST(refuses_the_rest)
{
	static const char *const wrong[] = { "",
					     "2",
					     "%",
					     "0%",
					     "51%",
					     "50.01%",
					     "-1%",
					     "2.%",
					     ".5%",
					     "0.005%",
					     "2%%",
					     "1/1",
					     "1/0",
					     "1/",
					     "1/8x",
					     "2/8",
					     "2%,",
					     "2%,first",
					     "2%,first=",
					     "2%,last=3",
					     "off,first=3",
					     "1/99999999999999999999",
					     "2%,first=-1",
					     "2%,first=1us",
					     "2%,first=20s,",
					     "2%,first=20x",
					     "2%,first=99999999s",
					     "00000000000000000000000002%" };
	struct budget budget = { .first = 5 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (budget_parse(wrong[i], &budget))
			fail_msg("'%s' is taken", wrong[i]);
	assert_int_equal(budget.first, 5);
}

static unsigned int drawn(const struct budget *budget, uint32_t share, unsigned int period,
			  unsigned int phase)
{
	unsigned int count = 0;

	for (unsigned int step = phase; step < STEPS; step += period)
		count += budget_draws(budget, share, step);
	return count;
}

TEST(draws_the_share_wanted)
{
	const struct budget budget = { .first = 100 };

	for (unsigned int one_in = 2; one_in <= 64; one_in *= 2) {
		unsigned int count = drawn(&budget, (uint32_t)((1ull << 32) / one_in), 1, 0);

		assert_in_range(count, STEPS / one_in * 85 / 100, 100 + STEPS / one_in * 115 / 100);
	}
	assert_int_equal(drawn(&budget, 0, 1, 0), STEPS);
	assert_int_equal(drawn(&budget, 1, 1, 0), 100);
}

/* What happens in each second, third, ... step has detail as often as the rest. */
TEST(no_period_is_missed)
{
	const struct budget budget = { 0 };

	for (unsigned int period = 2; period <= 64; period++)
		for (unsigned int phase = 0; phase < period; phase++)
			assert_in_range(drawn(&budget, 1u << 29, period, phase),
					STEPS / period / 8 * 60 / 100,
					STEPS / period / 8 * 140 / 100);
}

/* Ranks that can afford different shares have the steps of the smallest in common. */
TEST(smaller_shares_are_parts)
{
	const struct budget budget = { 0 };

	for (uint64_t step = 0; step < STEPS; step++)
		if (budget_draws(&budget, 1u << 26, step))
			assert_true(budget_draws(&budget, 1u << 28, step));
}
