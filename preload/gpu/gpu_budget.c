/* SPDX-License-Identifier: MIT */
/*
 * The median of plain steps is followed, not sorted: each step moves it by a fraction of itself
 * towards itself, so that a few slow steps do not matter.
 */
#include "preload/gpu/gpu_budget.h"

#include <string.h>

#include "preload/settings/gpu_steps.h"

#define PLAIN_MIN 16u          /* plain steps, before which nothing is known of them */
#define SHARE_FIRST (1u << 24) /* one step in 256: what light has (presets.def) */
#define SHARE_LEAST (1u << 16) /* one in 65,536 */
#define SHARE_MOST (1u << 29)  /* one in eight: the others must tell what a plain step takes */
#define STEP_OF_MEDIAN 32      /* the first time; then it moves more slowly */
#define WINDOWS_MIN 3u         /* of fewer the cheapest counts: one may fall on a slow moment */
#define MILLION 1e6
#define WHOLE 4294967296.0

static void plain_take(struct gpu_budget *budget, uint64_t step_ns)
{
	uint64_t move_ns = budget->plain_ns / STEP_OF_MEDIAN + 1;

	if (!budget->plain_steps++)
		budget->plain_ns = step_ns;
	else if (step_ns > budget->plain_ns)
		budget->plain_ns += move_ns;
	else if (step_ns < budget->plain_ns && budget->plain_ns > move_ns)
		budget->plain_ns -= move_ns;
}

void gpu_budget_take_step(struct gpu_budget *budget, enum gpu_budget_step kind, uint64_t step_ns)
{
	if (kind == GPU_BUDGET_PLAIN)
		plain_take(budget, step_ns);
	else if (kind == GPU_BUDGET_WINDOW)
		budget->window_ns += (int64_t)step_ns - (int64_t)budget->plain_ns;
}

void gpu_budget_end_window(struct gpu_budget *budget)
{
	if (budget->plain_steps >= PLAIN_MIN)
		budget->cost_ns[budget->windows++ % GPU_BUDGET_WINDOWS] = budget->window_ns;
	budget->window_ns = 0;
}

/* Of an even number, the larger one of the two in the middle. */
static int64_t cost_median(const struct gpu_budget *budget)
{
	uint32_t count = budget->windows < GPU_BUDGET_WINDOWS ? budget->windows
							      : GPU_BUDGET_WINDOWS;
	int64_t sorted[GPU_BUDGET_WINDOWS] = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = i;

		for (; at && sorted[at - 1] > budget->cost_ns[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = budget->cost_ns[i];
	}
	return sorted[count < WINDOWS_MIN ? 0 : count / 2];
}

uint32_t gpu_budget_share(const struct gpu_budget *budget, uint32_t parts_per_million)
{
	uint32_t share = SHARE_LEAST;
	double cost_ns, most;

	if (!budget->windows)
		return SHARE_FIRST;
	cost_ns = (double)cost_median(budget);
	if (cost_ns <= 0)
		return SHARE_MOST;
	most = parts_per_million / MILLION * GPU_STEPS_BLOCK * (double)budget->plain_ns / cost_ns *
	       WHOLE;
	while (share < SHARE_MOST && 2.0 * share <= most)
		share *= 2;
	return share;
}
