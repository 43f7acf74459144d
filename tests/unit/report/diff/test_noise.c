/* SPDX-License-Identifier: MIT */
/* links: report format */
/* Verdicts: no change, a change inside of the spread, one beyond it, and data that has no spread. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

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
	return noise_judge(&before, 1, &after, unit).verdict;
}

static void the_same_program_is_noise(void **unused)
{
	double before[STEPS], after[STEPS];
	struct measured a, b;
	unsigned int wrong = 0;

	(void)unused;
	for (int i = 0; i < 500; i++) {
		make_steps(before, 100);
		make_steps(after, 100);
		a = median_of_steps(before, 100.3);
		b = median_of_steps(after, 100.9);
		wrong += judge(a, b, UNIT_NS) != VERDICT_NOISE;
	}
	assert_true(wrong <= 5);
}

static void a_slower_one_is_not(void **unused)
{
	double before[STEPS], after[STEPS];

	(void)unused;
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

/* A run that gets slower while it runs has neighbours that are alike: its spread is that of its parts. */
static void drift_is_spread(void **unused)
{
	double value[STEPS], error;

	(void)unused;
	for (size_t i = 0; i < STEPS; i++)
		value[i] = 100 + (double)i / 10;
	error = noise_of_series(value, STEPS, false);
	assert_true(error > 1.5 && error < 2.5); /* of independent steps it would be 0.4 */
}

static void few_values_have_no_spread(void **unused)
{
	const double value[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };

	(void)unused;
	assert_true(isnan(noise_of_series(value, 9, true)));
	assert_true(isnan(noise_of_series(value, 0, false)));
	assert_true(isnan(noise_of_calls(3, 9)));
	assert_true(isnan(noise_of_calls(NAN, 100)));
	assert_true(isnan(noise_of_calls(3, NAN)));
	assert_true(isnan(noise_of_samples(5, 0)));
	assert_true(noise_of_calls(10, 1e12) == 1); /* at most 100 of them count */
	assert_true(noise_of_samples(100, 25) == 20);
}

static void without_spread_times_have_no_verdict(void **unused)
{
	const struct measured a = { .has = true, .value = 100, .error = NAN },
			      b = { .has = true, .value = 150, .error = NAN },
			      none = { .error = NAN };
	const struct measured few = { true, 100, noise_of_samples(100, 2), true },
			      less = { true, 100, noise_of_samples(100, 0.5), true },
			      many = { true, 100, noise_of_samples(100, 50), true };

	(void)unused;
	assert_int_equal(judge(a, b, UNIT_NS), VERDICT_NONE);
	assert_int_equal(judge(a, b, UNIT_PERCENT), VERDICT_NONE);
	assert_int_equal(judge(a, b, UNIT_BYTES), VERDICT_MORE);
	assert_int_equal(judge(b, a, UNIT_COUNT), VERDICT_LESS);
	assert_int_equal(judge(a, a, UNIT_NS), VERDICT_SAME);
	assert_int_equal(judge(none, a, UNIT_NS), VERDICT_NEW);
	assert_int_equal(judge(a, none, UNIT_NS), VERDICT_GONE);
	/* a line that two looks met need not be met in the next run of the same program; one with fifty is */
	assert_int_equal(judge(none, few, UNIT_NS), VERDICT_NOISE);
	assert_int_equal(judge(few, none, UNIT_NS), VERDICT_NOISE);
	assert_int_equal(judge(less, none, UNIT_NS), VERDICT_NOISE);
	assert_int_equal(judge(none, many, UNIT_NS), VERDICT_NEW);
	assert_int_equal(judge(many, none, UNIT_NS), VERDICT_GONE);
	assert_int_equal(judge(none, none, UNIT_NS), VERDICT_NONE);
}

static void several_runs_before(void **unused)
{
	const struct measured same[3] = { { .has = true, .value = 10, .error = NAN },
					  { .has = true, .value = 10, .error = NAN },
					  { .has = true, .value = 10, .error = NAN } };
	const struct measured varied[4] = { { .has = true, .value = 100, .error = NAN },
					    { .has = true, .value = 104, .error = NAN },
					    { .has = true, .value = 98, .error = NAN },
					    { .has = true, .value = 102, .error = NAN } };
	const struct measured two[2] = { { .has = true, .value = 100, .error = 1 },
					 { .has = true, .value = 104, .error = 1 } };
	struct measured after = { .has = true, .value = 11, .error = NAN };
	struct change change;

	(void)unused;
	assert_int_equal(noise_judge(same, 3, &after, UNIT_NS).verdict,
			 VERDICT_LONGER); /* it never varied */
	after.value = 110;
	change = noise_judge(varied, 4, &after, UNIT_BYTES);
	assert_true(change.before == 101 && change.runs == 4);
	assert_int_equal(change.verdict, VERDICT_NOISE); /* 5.841 * 2.58 * 1.118 = 16.9 */
	after.value = 120;
	assert_int_equal(noise_judge(varied, 4, &after, UNIT_BYTES).verdict, VERDICT_MORE);
	after = (struct measured){ .has = true, .value = 106, .error = 1 };
	assert_int_equal(noise_judge(two, 2, &after, UNIT_NS).verdict, VERDICT_NOISE);
	after.value = 108;
	assert_int_equal(noise_judge(two, 2, &after, UNIT_NS).verdict,
			 VERDICT_LONGER); /* 4 * sqrt(1.5) = 4.9 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_program_is_noise),
		cmocka_unit_test(a_slower_one_is_not),
		cmocka_unit_test(drift_is_spread),
		cmocka_unit_test(few_values_have_no_spread),
		cmocka_unit_test(without_spread_times_have_no_verdict),
		cmocka_unit_test(several_runs_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
