/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/torch/drawn_ops.c: what drawn windows say of the run, and whether the error is right. */
#include "tests/unit/unit.h"

#include <math.h>

#include "report/torch/drawn_ops.h"
#include "report/torch/operators.h"

#define STEPS 2000u
#define FIRST 100u
#define BLOCK 4u
#define ONE_IN 8u
#define RUNS 200u

static uint64_t drawn_random(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15ull;
	uint64_t bits = *state;

	bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ull;
	bits = (bits ^ bits >> 27) * 0x94d049bb133111ebull;
	return bits ^ bits >> 31;
}

struct drawn_outcome {
	struct drawn_estimate ns, calls;
	double true_ns;
};

/* Steps of two calls; windows are blocks that were drawn, neighbouring ones apart. */
static struct drawn_outcome drawn_play(uint64_t seed)
{
	struct drawn_outcome outcome = { .true_ns = 0 };
	struct operator_row row = { .name = 1 };
	struct drawn_ops drawn = { 0 };
	bool is_drawn = true;

	for (uint64_t step = 0; step < STEPS; step++) {
		uint64_t ns = 1000 + drawn_random(&seed) % 1000 + (step / 200) * 50;

		if (step == FIRST || (step > FIRST && step % BLOCK == 0)) {
			if (is_drawn)
				drawn_ops_take(&drawn, &row, 1,
					       step <= FIRST ? (double)FIRST : (double)BLOCK);
			is_drawn = drawn_random(&seed) % ONE_IN == 0;
		}
		outcome.true_ns += (double)ns;
		row.calls += is_drawn ? 2 : 0;
		row.total.ns += is_drawn ? ns : 0;
	}
	if (is_drawn)
		drawn_ops_take(&drawn, &row, 1, BLOCK);
	drawn_ops_finish(&drawn, STEPS);
	assert_true(drawn_ops_know(&drawn));
	outcome.ns = drawn_ops_ns(&drawn, 0);
	outcome.calls = drawn_ops_calls(&drawn, 0);
	drawn_ops_release(&drawn);
	return outcome;
}

TEST(test_what_is_in_each_step_is_known)
{
	struct drawn_outcome outcome = drawn_play(7);

	assert_true(fabs(outcome.calls.value - 2 * STEPS) < 1e-6);
	assert_true(outcome.calls.error < 1e-3);
}

TEST(test_errors_are_as_large_as_they_say)
{
	double squares = 0, off = 0;

	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct drawn_outcome outcome = drawn_play(seed * 1000003);
		double away = (outcome.ns.value - outcome.true_ns) / outcome.ns.error;

		squares += away * away / RUNS;
		off += away / RUNS;
	}
	/* the seeds are fixed: without a bias, and with errors that are right to 30 % */
	assert_true(fabs(off) < 3 / sqrt(RUNS));
	assert_true(squares > 0.7 && squares < 1.4);
}

TEST(test_a_few_windows_say_nothing)
{
	struct operator_row row = { .name = 1 };
	struct drawn_ops drawn = { 0 };

	for (unsigned int i = 0; i < DRAWN_WINDOWS_MIN; i++) {
		row.calls += 3;
		drawn_ops_take(&drawn, &row, 1, 4);
	}
	drawn_ops_finish(&drawn, 1000);
	assert_false(drawn_ops_know(&drawn));
	drawn_ops_take(&drawn, &row, 1, 4);
	assert_true(drawn_ops_know(&drawn));
	drawn_ops_finish(&drawn, 10); /* a run that is shorter than its windows */
	assert_false(drawn_ops_know(&drawn));
	drawn_ops_release(&drawn);
}
