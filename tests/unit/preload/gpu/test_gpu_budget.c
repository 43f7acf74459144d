/* SPDX-License-Identifier: MIT */
/* INTERCEPT_BUDGET: of how many steps windows of the GPU are worth what they cost. */
/* links: preload:gpu/gpu_budget.c */
#include "preload/gpu/gpu_budget.h"

#include "tests/unit/unit.h"

#define PER_CENT 10000u

/* Steps of 2 ms, one in 20 ten times as long; then a window of 20 steps that costs so much. */
static void take_window(struct gpu_budget *budget, uint64_t cost_ns)
{
	for (unsigned int i = 0; i < 200; i++)
		gpu_budget_take_step(budget, GPU_BUDGET_PLAIN, i % 20 ? 2000000 : 20000000);
	gpu_budget_take_step(budget, GPU_BUDGET_DETAIL, 50000000);
	for (unsigned int i = 0; i < 20; i++)
		gpu_budget_take_step(budget, GPU_BUDGET_WINDOW, 2000000 + cost_ns / 20);
	gpu_budget_end_window(budget);
}

TEST(windows_cost_what_they_may)
{
	struct gpu_budget budget = { 0 };
	double share, part;

	assert_int_equal(gpu_budget_share(&budget, PER_CENT), 1u << 24);
	for (unsigned int i = 0; i < 9; i++)
		take_window(&budget, i == 4 ? 900000000 : 60000000); /* one fell on a slow moment */
	share = gpu_budget_share(&budget, PER_CENT) / 4294967296.0;
	/* blocks of 16 steps of 2 ms, each of which costs 60 ms */
	part = share * 60e6 / (16 * 2e6);
	assert_true(part <= 0.011 && part > 0.0045);
	assert_true(gpu_budget_share(&budget, 4 * PER_CENT) ==
		    4 * gpu_budget_share(&budget, PER_CENT));
}

TEST(what_costs_nothing_is_bounded)
{
	struct gpu_budget budget = { 0 };

	gpu_budget_take_step(&budget, GPU_BUDGET_WINDOW, 1000);
	gpu_budget_end_window(&budget); /* nothing is known of other steps */
	assert_int_equal(gpu_budget_share(&budget, PER_CENT), 1u << 24);
	take_window(&budget, 0);
	assert_int_equal(gpu_budget_share(&budget, PER_CENT), 1u << 29);
	for (unsigned int i = 0; i < 3; i++)
		take_window(&budget, 4000000000000000);
	assert_int_equal(gpu_budget_share(&budget, PER_CENT), 1u << 16);
}
