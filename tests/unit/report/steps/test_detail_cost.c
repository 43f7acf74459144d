/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/steps/detail_cost.c: what detail adds to a step, and to all of them. */

#include "tests/unit/unit.h"

#include "report/steps/detail_cost.h"

#define ROWS 400u
#define PLAIN_NS 1000u

static struct step_row rows[ROWS];

/*
 * Windows of four steps, one in five; every `slow` steps one takes ten times as long, 0: none
 * does.
 */
static struct steps made(uint64_t detail_ns, uint64_t switch_ns, unsigned int slow)
{
	struct steps steps = { .row = rows, .row_count = ROWS };

	for (unsigned int i = 0; i < ROWS; i++) {
		bool has = i / 4 % 5 == 0, before = i % 20 == 19, behind = i % 20 == 4;

		rows[i] = (struct step_row){ .number = i,
					     .has_operators = has,
					     .total_ns = PLAIN_NS + (has ? detail_ns : 0) };
		rows[i].total_ns += before || behind ? switch_ns : 0;
		rows[i].total_ns += slow && i % slow == 0 ? 9 * PLAIN_NS : 0;
		steps.time.count++;
		steps.time.total_ns += rows[i].total_ns;
		steps.host.steps += has;
	}
	return steps;
}

TEST(says_what_detail_adds)
{
	struct steps steps = made(300, 20, 0);
	struct detail_cost cost;

	assert_true(steps_detail_cost(&steps, &cost));
	assert_int_equal(cost.step_ns, 300);
	/* 80 steps and 39 edges */
	assert_true(cost.share > (80. * 300 + 39 * 20) / (double)steps.time.total_ns - 1e-9);
	assert_true(cost.share < (80. * 300 + 39 * 20) / (double)steps.time.total_ns + 1e-9);
}

TEST(slow_steps_do_not_matter)
{
	struct steps steps = made(300, 20, 7);
	struct detail_cost cost;

	assert_true(steps_detail_cost(&steps, &cost));
	assert_int_equal(cost.step_ns, 300);
}

TEST(nothing_is_said_of_few_windows)
{
	struct steps steps = made(300, 20, 0);
	struct detail_cost cost;

	steps.row_count = 60; /* three windows */
	assert_false(steps_detail_cost(&steps, &cost));
	steps.row_count = 0;
	assert_false(steps_detail_cost(&steps, &cost));
	steps = made(300, 20, 0);
	for (unsigned int i = 0; i < ROWS; i++)
		rows[i].number = 2 * i; /* none adjoins another */
	assert_false(steps_detail_cost(&steps, &cost));
}
