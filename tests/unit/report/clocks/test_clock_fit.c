/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/clocks/clock_fit.c: the true offset of a clock lies within what is said, whatever bounds
 * there are; a drift that changes makes pieces; bounds that no clock has say nothing.
 */
#include "tests/unit/unit.h"
#include "report/clocks/clock_fit.h"

#include <math.h>

#define SECOND 1000000000ll
#define BOUNDS 4000u

static struct clock_bound bound[BOUNDS];
static size_t count;
static uint64_t state;

static uint64_t random_below(uint64_t limit)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % limit;
}

/* What the clock needs: piecewise, with another drift from `turn_ns` on. */
struct truth {
	int64_t add_ns, turn_ns;
	double drift, later_drift; /* ns a second */
};

static double truth_at(const struct truth *truth, int64_t time_ns)
{
	int64_t before_ns = time_ns < truth->turn_ns ? time_ns : truth->turn_ns;

	return (double)truth->add_ns + truth->drift * (double)before_ns / 1e9 +
	       truth->later_drift * (double)(time_ns - before_ns) / 1e9;
}

/* A lower and an upper bound at each call, each by up to `wait_ns` from the truth. */
static void calls(const struct truth *truth, unsigned int number, int64_t apart_ns,
		  uint64_t wait_ns)
{
	count = 0;
	for (unsigned int i = 0; i < number; i++) {
		int64_t time_ns = 5 * SECOND + i * apart_ns;
		double least = truth_at(truth, time_ns) - (double)random_below(wait_ns);
		double most = truth_at(truth, time_ns + 1000) + (double)random_below(wait_ns);

		bound[count++] = (struct clock_bound){ time_ns, (int64_t)floor(least), false };
		bound[count++] = (struct clock_bound){ time_ns + 1000, (int64_t)ceil(most), true };
	}
}

/* Within each piece, at its ends and between them. */
static void truth_is_within(const struct clock_fit *fit, const struct truth *truth)
{
	for (size_t i = 0; i < fit->count; i++) {
		const struct clock_piece *piece = &fit->piece[i];

		assert_true(piece->from_ns <= piece->to_ns);
		for (int part = 0; part <= 10; part++) {
			int64_t time_ns = piece->from_ns +
					  (piece->to_ns - piece->from_ns) / 10 * part;
			double used = (double)piece->add_ns +
				      piece->drift * (double)(time_ns - piece->from_ns) / 1e9;

			assert_true(fabs(used - truth_at(truth, time_ns)) <= piece->doubt_ns);
		}
	}
}

TEST(the_truth_is_within_the_bounds)
{
	static const double drifts[] = { 0, 40e3, -40e3, 200e3, -900e3 };

	for (unsigned int trial = 0; trial < 100; trial++) {
		struct truth truth = { (int64_t)random_below(20 * SECOND) - 10 * SECOND, INT64_MAX,
				       drifts[trial % 5], drifts[trial % 5] };
		struct clock_fit fit;

		calls(&truth, 100 + (unsigned int)random_below(1000), 10000000,
		      1000 + random_below(3000000));
		clock_fit_make(&fit, bound, count);
		assert_false(fit.contradicts);
		assert_int_equal(fit.count, 1);
		assert_int_equal(fit.piece[0].bounds, count);
		assert_true(fit.piece[0].drift_is_known);
		assert_true(fabs(fit.piece[0].drift - truth.drift) <= fit.piece[0].drift_doubt);
		truth_is_within(&fit, &truth);
		clock_fit_release(&fit);
	}
}

/* The more calls, the closer: with a wait of 0 now and then, to the clocks' own error. */
TEST(many_calls_say_it_closely)
{
	struct truth truth = { -3 * SECOND, INT64_MAX, 50e3, 50e3 };
	struct clock_fit fit;

	calls(&truth, 2000, SECOND / 10, 1000000);
	clock_fit_make(&fit, bound, count);
	assert_int_equal(fit.count, 1);
	assert_true(fit.piece[0].doubt_ns < 100000);
	assert_true(fit.piece[0].drift_doubt < 1000);
	clock_fit_release(&fit);
}

/* A drift is only said if it is needed. */
TEST(a_clock_without_drift_has_none)
{
	struct truth truth = { 7 * SECOND, INT64_MAX, 0, 0 };
	struct clock_fit fit;

	calls(&truth, 50, 1000000, 2000000);
	clock_fit_make(&fit, bound, count);
	assert_int_equal(fit.count, 1);
	assert_true(fit.piece[0].drift == 0);
	truth_is_within(&fit, &truth);
	clock_fit_release(&fit);
}

TEST(a_drift_that_changes_makes_pieces)
{
	struct truth truth = { SECOND, 55 * SECOND, 50e3, -50e3 };
	struct clock_fit fit;

	calls(&truth, 1000, SECOND / 10, 100000);
	clock_fit_make(&fit, bound, count);
	assert_false(fit.contradicts);
	assert_true(fit.count >= 2);
	assert_true(fit.piece[0].drift > 40e3 && fit.piece[fit.count - 1].drift < -40e3);
	/* the piece in which it changes keeps to its bounds, but is no line in truth */
	truth_is_within(&(struct clock_fit){ .piece = fit.piece + fit.count - 1, .count = 1 },
			&truth);
	clock_fit_release(&fit);
}

TEST(one_call_says_the_offset)
{
	struct truth truth = { 4 * SECOND, INT64_MAX, 10e3, 10e3 };
	struct clock_fit fit;

	calls(&truth, 1, 1, 500000);
	clock_fit_make(&fit, bound, count);
	assert_int_equal(fit.count, 1);
	assert_false(fit.piece[0].drift_is_known);
	assert_true(fit.piece[0].drift == 0);
	truth_is_within(&fit, &truth);
	clock_fit_release(&fit);
}

/* As of calls that are not of one another: each bound contradicts the one before. */
TEST(bounds_of_no_clock_say_nothing)
{
	struct clock_fit fit;

	for (count = 0; count < 400; count++) {
		int64_t add_ns = count % 8 < 4 ? SECOND : 0;

		bound[count] = (struct clock_bound){ (int64_t)count * 1000000,
						     add_ns + (count % 2 ? 1000 : -1000),
						     count % 2 };
	}
	clock_fit_make(&fit, bound, count);
	assert_true(fit.contradicts);
	assert_int_equal(fit.count, 0);
	clock_fit_release(&fit);
}

TEST(one_side_says_nothing)
{
	struct clock_fit fit;

	for (count = 0; count < 100; count++)
		bound[count] = (struct clock_bound){ (int64_t)count * 1000000, 5, false };
	clock_fit_make(&fit, bound, count);
	assert_int_equal(fit.count, 0);
	clock_fit_release(&fit);
	clock_fit_make(&fit, bound, 0);
	assert_int_equal(fit.count, 0);
	clock_fit_release(&fit);
}

/* Times of a damaged file. */
TEST(any_numbers_are_survived)
{
	static const int64_t odd[] = { INT64_MIN, INT64_MAX, -1, 0, 1, INT64_MIN / 2, 1ll << 60 };
	struct clock_fit fit;

	for (count = 0; count < 98; count++)
		bound[count] = (struct clock_bound){ odd[count / 14], odd[count % 7], count & 1 };
	clock_fit_make(&fit, bound, count);
	clock_fit_release(&fit);
}
