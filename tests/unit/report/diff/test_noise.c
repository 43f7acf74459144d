/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * Verdicts: no change, a change inside of the spread, one beyond it, and data that has no spread.
 */
#include <math.h>

#include "tests/unit/unit.h"
#include "report/diff/noise.h"

#define STEPS 200

static uint64_t state = 88172645463325252ull;

static double random_part(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) / 9007199254740992.0;
}

/* Durations of `mean`, 5 % around it; one in ten takes three times as long. */
static void make_steps(double *value, double mean)
{
	for (size_t i = 0; i < STEPS; i++)
		value[i] = mean * (0.95 + 0.1 * random_part()) * (random_part() < 0.1 ? 3 : 1);
}

static struct measured median_of_steps(const double *value, double median)
{
	return (struct measured){ .has = true,
				  .value = median,
				  .error = noise_of_series(value, STEPS, true) };
}

static enum verdict judge(struct measured before, struct measured after, enum unit unit)
{
	const struct measured run[2] = { before, after };

	return noise_judge(run, 1, 1, unit).verdict;
}

TEST(the_same_program_is_noise)
{
	double before[STEPS], after[STEPS];
	struct measured a, b;
	unsigned int wrong = 0;

	for (int i = 0; i < 500; i++) {
		make_steps(before, 100);
		make_steps(after, 100);
		a = median_of_steps(before, 100.3);
		b = median_of_steps(after, 100.9);
		wrong += judge(a, b, UNIT_NS) != VERDICT_NOISE;
	}
	assert_true(wrong <= 5);
}

TEST(a_slower_one_is_not)
{
	double before[STEPS], after[STEPS];

	for (int i = 0; i < 100; i++) {
		make_steps(before, 100);
		make_steps(after, 120);
		assert_int_equal(
			judge(median_of_steps(before, 100), median_of_steps(after, 120), UNIT_NS),
			VERDICT_LONGER);
		assert_int_equal(
			judge(median_of_steps(after, 120), median_of_steps(before, 100), UNIT_NS),
			VERDICT_SHORTER);
	}
}

/*
 * A run that gets slower while it runs has neighbours that are alike: its spread is that of its
 * parts.
 */
TEST(drift_is_spread)
{
	double value[STEPS], error;

	for (size_t i = 0; i < STEPS; i++)
		value[i] = 100 + (double)i / 10;
	error = noise_of_series(value, STEPS, false);
	assert_true(error > 1.5 && error < 2.5); /* of independent steps it would be 0.4 */
}

TEST(few_values_have_no_spread)
{
	const double value[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };

	assert_true(isnan(noise_of_series(value, 9, true)));
	assert_true(isnan(noise_of_series(value, 0, false)));
	assert_true(isnan(noise_of_calls(3, 9)));
	assert_true(isnan(noise_of_calls(NAN, 100)));
	assert_true(isnan(noise_of_calls(3, NAN)));
	assert_true(isnan(noise_of_samples(5, 0)));
	assert_true(noise_of_calls(10, 1e12) == 1); /* at most 100 of them count */
	assert_true(noise_of_samples(100, 25) == 20);
}

TEST(without_spread_times_have_no_verdict)
{
	const struct measured a = { .has = true, .value = 100, .error = NAN },
			      b = { .has = true, .value = 150, .error = NAN },
			      none = { .error = NAN };
	const struct measured few = { true, 100, noise_of_samples(100, 2), true },
			      less = { true, 100, noise_of_samples(100, 0.5), true },
			      many = { true, 100, noise_of_samples(100, 50), true };

	assert_int_equal(judge(a, b, UNIT_NS), VERDICT_NONE);
	assert_int_equal(judge(a, b, UNIT_PERCENT), VERDICT_NONE);
	assert_int_equal(judge(a, b, UNIT_BYTES), VERDICT_NONE);
	assert_int_equal(judge(b, a, UNIT_COUNT), VERDICT_NONE);
	assert_int_equal(judge(a, a, UNIT_NS), VERDICT_SAME);
	assert_int_equal(judge(none, a, UNIT_NS), VERDICT_NEW);
	assert_int_equal(judge(a, none, UNIT_NS), VERDICT_GONE);
	/*
	 * a line that two looks met need not be met in the next run of the same program; one with
	 * fifty is
	 */
	assert_int_equal(judge(none, few, UNIT_NS), VERDICT_NOISE);
	assert_int_equal(judge(few, none, UNIT_NS), VERDICT_NOISE);
	assert_int_equal(judge(less, none, UNIT_NS), VERDICT_NOISE);
	assert_int_equal(judge(none, many, UNIT_NS), VERDICT_NEW);
	assert_int_equal(judge(many, none, UNIT_NS), VERDICT_GONE);
	assert_int_equal(judge(none, none, UNIT_NS), VERDICT_NONE);
}

/* Values of runs without a spread of their own. */
static struct change judge_runs(const double *value, size_t before, size_t after, enum unit unit)
{
	struct measured run[8];

	for (size_t i = 0; i < before + after; i++)
		run[i] = (struct measured){ .has = true, .value = value[i], .error = NAN };
	return noise_judge(run, before, after, unit);
}

TEST(several_runs_before)
{
	static const double same[] = { 10, 10, 10, 11 }, varied[] = { 100, 104, 98, 102, 110 },
			    far[] = { 100, 104, 98, 102, 120 };
	struct measured two[3] = { { .has = true, .value = 100, .error = 1 },
				   { .has = true, .value = 104, .error = 1 },
				   { .has = true, .value = 106, .error = 1 } };
	struct change change;

	assert_int_equal(judge_runs(same, 3, 1, UNIT_NS).verdict,
			 VERDICT_LONGER); /* it never varied */
	change = judge_runs(varied, 4, 1, UNIT_BYTES);
	assert_true(change.before == 101 && change.runs == 4 && change.runs_after == 1);
	assert_int_equal(change.verdict, VERDICT_NOISE); /* 5.841 * 2.58 * 1.118 = 16.9 */
	assert_int_equal(judge_runs(far, 4, 1, UNIT_BYTES).verdict, VERDICT_MORE);
	assert_int_equal(noise_judge(two, 2, 1, UNIT_NS).verdict, VERDICT_NOISE);
	two[2].value = 108;
	assert_int_equal(noise_judge(two, 2, 1, UNIT_NS).verdict,
			 VERDICT_LONGER); /* 4 * sqrt(1.5) = 4.9 */
}

/* Worked by hand, and by R: t.test(before, after, var.equal = TRUE, conf.level = 0.99). */
TEST(several_runs_on_both_sides)
{
	static const double two[] = { 100, 102, 110, 112 }, tight[] = { 100, 101, 110, 111 },
			    three[] = { 10, 11, 12, 20, 21, 22 }, one[] = { 15, 10, 11, 12 };
	struct change change;

	change = judge_runs(two, 2, 2, UNIT_COUNT);
	assert_true(change.before == 101 && change.after == 111 && change.runs_after == 2);
	assert_true(fabs(change.noise - 9.925 * sqrt(2)) < 0.01); /* s = sqrt(4 / 2) */
	assert_int_equal(change.verdict, VERDICT_NOISE);
	change = judge_runs(tight, 2, 2, UNIT_COUNT);
	assert_true(fabs(change.noise - 9.925 * sqrt(0.5)) < 0.01);
	assert_int_equal(change.verdict, VERDICT_MORE);
	change = judge_runs(three, 3, 3, UNIT_NS);
	assert_true(fabs(change.noise - 4.604 * sqrt(2. / 3)) < 0.01);
	assert_int_equal(change.verdict, VERDICT_LONGER);
	change = judge_runs(one, 1, 3, UNIT_NS);
	assert_true(fabs(change.noise - 9.925 * sqrt(4. / 3)) < 0.01);
	assert_int_equal(change.verdict, VERDICT_NOISE);
}

/* One sample of 20 ms in four runs; then 100 and 400 samples a run. */
TEST(few_samples_are_chance)
{
	struct measured run[4] = { { .has = true, .is_sampled = true, .error = NAN },
				   { .has = true, .is_sampled = true, .error = NAN },
				   { .has = true, .is_sampled = true, .error = NAN },
				   { .has = true, .is_sampled = true, .value = 20, .error = 20 } };

	assert_int_equal(noise_judge(run, 3, 1, UNIT_NS).verdict, VERDICT_NOISE);
	run[3].error = NAN;
	assert_int_equal(noise_judge(run, 3, 1, UNIT_NS).verdict, VERDICT_NOISE);
	for (size_t i = 0; i < 4; i++) {
		run[i].value = i < 3 ? 100 : 400;
		run[i].error = i < 3 ? 10 : 20;
	}
	assert_int_equal(noise_judge(run, 3, 1, UNIT_NS).verdict, VERDICT_LONGER);
}

/* Six of 3.9 million allocations, however exact. */
TEST(what_does_not_matter_is_slight)
{
	static const double slight[] = { 3900000, 3900000, 3900000, 3899994 },
			    zero[] = { 0, 0, 0, 1 };
	const struct measured a = { .has = true, .value = 3900000, .error = NAN },
			      b = { .has = true, .value = 3899994, .error = NAN };

	assert_int_equal(judge(a, b, UNIT_COUNT), VERDICT_SLIGHT);
	assert_int_equal(judge(b, a, UNIT_NS), VERDICT_SLIGHT);
	assert_int_equal(judge_runs(slight, 3, 1, UNIT_COUNT).verdict, VERDICT_SLIGHT);
	assert_int_equal(judge_runs(zero, 3, 1, UNIT_COUNT).verdict, VERDICT_MORE);
}
