/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/advice/gaps.c: what a place between operators costs. */
#include "tests/unit/unit.h"
#include "report/advice/gaps.h"

#define US 1000u
#define MS 1000000u

/* Collectives that overlap, that begin before the gap, that are open at its end or lost theirs. */
TEST(a_gap_is_without_collectives)
{
	static const struct {
		uint64_t from_us, to_us;
	} sent[] = { { 500, 3000 }, { 2000, 4000 }, { 8000, 12000 } };
	uint64_t total_ns = 0;
	struct gaps gaps;

	gaps_init(&gaps);
	for (unsigned int round = 0; round < 8; round++) {
		const uint64_t at = round * 20 * MS;

		gaps_busy(&gaps, (struct nest_place){ .time_ns = at }, 1);
		gaps_sends(&gaps, (struct nest_place){ .time_ns = at + sent[0].from_us * US });
		gaps_idle(&gaps, (struct nest_place){ .time_ns = at + MS }, 1, true);
		gaps_sends(&gaps, (struct nest_place){ .time_ns = at + sent[1].from_us * US });
		gaps_sent(&gaps, (struct nest_place){ .time_ns = at + sent[0].to_us * US });
		gaps_sent(&gaps, (struct nest_place){ .time_ns = at + sent[1].to_us * US });
		gaps_sent(&gaps, (struct nest_place){ .time_ns = at + 5 * MS }); /* no begin */
		gaps_sends(&gaps, (struct nest_place){ .time_ns = at + sent[2].from_us * US });
		gaps_busy(&gaps, (struct nest_place){ .time_ns = at + 11 * MS }, 2);
		gaps_sent(&gaps, (struct nest_place){ .time_ns = at + sent[2].to_us * US });
		gaps_idle(&gaps, (struct nest_place){ .time_ns = at + 12 * MS }, 2, true);
		(void)gaps_step(&gaps, 0, &(struct gaps_step){ true, true });
	}
	/* of the 10 ms from 1 to 11, one was under way in the first three and the last three */
	for (size_t i = 0; i < gaps.place_count; i++)
		if (gaps.place[i].before == 1 && gaps.place[i].after == 2)
			total_ns += gaps.place[i].time.total_ns;
	assert_int_equal(total_ns, 8 * 4 * MS);
	gaps_release(&gaps);
}

/* Between two operators others ran that were not recorded: that is no gap. */
TEST(no_gap_over_what_was_not_recorded)
{
	struct gaps gaps;
	uint64_t at_ns = 0, gaps_kept = 0;

	gaps_init(&gaps);
	for (unsigned int i = 0; i < 8; i++) {
		gaps_busy(&gaps, (struct nest_place){ .time_ns = at_ns }, 1);
		if (i == 2) /* within an operator nothing is forgotten */
			gaps_forget(&gaps, 0);
		gaps_idle(&gaps, (struct nest_place){ .time_ns = at_ns + US }, 1, true);
		if (i == 5)
			gaps_forget(&gaps, 0);
		at_ns += 5 * MS;
		(void)gaps_step(&gaps, 0, &(struct gaps_step){ true, true });
	}
	for (size_t i = 0; i < gaps.place_count; i++)
		gaps_kept += gaps.place[i].time.count;
	assert_int_equal(gaps_kept, 8 - 1 - 1);
	gaps_release(&gaps);
}

/* An operator of 8 us, with or without a call of CUDA, and 2 us behind it. */
static uint64_t short_operator(struct gaps *gaps, struct nest_place *at, bool calls)
{
	uint64_t told_ns;

	(void)gaps_busy(gaps, *at, 1);
	at->time_ns += 8 * US;
	if (calls)
		gaps_call(gaps, *at, US);
	told_ns = gaps_idle(gaps, *at, 1, true);
	at->time_ns += 2 * US;
	return told_ns;
}

/* Many short operators in a row that call no CUDA work on the CPU; fewer belong to a launch. */
TEST(runs_on_the_cpu)
{
	struct nest_place at = { .time_ns = 0 };
	struct gaps gaps;

	gaps_init(&gaps);
	(void)gaps_step(&gaps, 0, &(struct gaps_step){ true, true });
	for (unsigned int i = 1; i < GAP_RUN_LONG; i++)
		assert_int_equal(short_operator(&gaps, &at, false), 0);
	assert_int_equal(short_operator(&gaps, &at, true), 0);
	for (unsigned int i = 1; i < GAP_RUN_LONG; i++)
		assert_int_equal(short_operator(&gaps, &at, false), 0);
	for (unsigned int i = GAP_RUN_LONG; i < 2 * GAP_RUN_LONG; i++)
		assert_int_equal(short_operator(&gaps, &at, false), (i * 10 - 2) * US);
	assert_int_equal(gaps_step(&gaps, 0, &(struct gaps_step){ true, true }).host_ns,
			 ((2 * GAP_RUN_LONG - 1) * 10 - 2) * US);
	at.time_ns += GAP_SHORT_NS; /* a long gap ends the run */
	assert_int_equal(short_operator(&gaps, &at, false), 0);
	gaps_release(&gaps);
}

/* Half of the times are long: the median alone would make more of them than there was. */
TEST(a_place_costs_no_more_than_it_took)
{
	struct gaps gaps;
	uint64_t at_ns = 0;

	gaps_init(&gaps);
	for (unsigned int i = 0; i < 30; i++) {
		gaps_busy(&gaps, (struct nest_place){ .time_ns = at_ns }, 1);
		gaps_idle(&gaps, (struct nest_place){ .time_ns = at_ns + US }, 1, true);
		at_ns += i % 5 < 2 ? 2 * US : 5 * MS;
		(void)gaps_step(&gaps, 0, &(struct gaps_step){ true, true });
	}
	for (size_t i = 0; i < gaps.place_count; i++)
		assert_true(gap_place_ns(&gaps.place[i]) <= gaps.place[i].time.total_ns);
	assert_true(gap_place_ns(gaps_largest(&gaps)) > 80 * MS);
	gaps_release(&gaps);
}

/* Of a place's gaps, `longer` in 20 take 5 ms, and the others 200 us. Returns what it costs. */
static uint64_t cost_of_mixed(unsigned int longer, unsigned int a_step)
{
	struct gaps gaps;
	uint64_t at_ns = 0, cost_ns;

	gaps_init(&gaps);
	for (unsigned int i = 0; i < 401; i++) {
		gaps_busy(&gaps, (struct nest_place){ .time_ns = at_ns }, 1);
		gaps_idle(&gaps, (struct nest_place){ .time_ns = at_ns + US }, 1, true);
		at_ns += US + (i % 20 < longer ? 5 * MS : 200 * US);
		if (i % a_step == 0)
			(void)gaps_step(&gaps, 0, &(struct gaps_step){ true, true });
	}
	cost_ns = gap_place_ns(gaps_largest(&gaps));
	assert_int_equal(gap_place_is_mixed(gaps_largest(&gaps)),
			 longer >= 6 && longer <= 10 && a_step > 1);
	gaps_release(&gaps);
	return cost_ns;
}

/* As of a function that is called for large and for small tensors. */
TEST(long_gaps_count_among_short_ones)
{
	assert_in_range(cost_of_mixed(8, 20), 160 * 4900 * US, 160 * 5000 * US + 240 * 205 * US);
	assert_in_range(cost_of_mixed(2, 20), 400 * 195 * US, 400 * 205 * US); /* rare */
	assert_in_range(cost_of_mixed(8, 1), 400 * 195 * US, 400 * 205 * US);
}
