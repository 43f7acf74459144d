/* SPDX-License-Identifier: MIT */
/*
 * INTERCEPT_BUDGET: in how many steps the GPU may be recorded. A window costs what its steps take
 * longer than steps without the GPU, from the one in which CUPTI comes back to the one in which it
 * leaves. All times are nanoseconds.
 *
 * Not synchronised: the caller lets one thread in at a time. Pure functions.
 */
#ifndef PRELOAD_GPU_GPU_BUDGET_H
#define PRELOAD_GPU_GPU_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#define GPU_BUDGET_WINDOWS 7u /* the last ones, whose median counts */

/* All zeros is a new object. */
struct gpu_budget {
	uint64_t plain_ns; /* a step without the GPU and without detail, about the median */
	uint64_t plain_steps;
	int64_t window_ns; /* what the window that is under way costs so far */
	int64_t cost_ns[GPU_BUDGET_WINDOWS];
	uint32_t windows; /* that have ended */
};

/* What was recorded in a step. */
enum gpu_budget_step {
	GPU_BUDGET_PLAIN,
	GPU_BUDGET_DETAIL, /* operators, but CUPTI was away: tells nothing */
	GPU_BUDGET_WINDOW, /* CUPTI was on in it, or came, or left */
};
void gpu_budget_take_step(struct gpu_budget *budget, enum gpu_budget_step kind, uint64_t step_ns);
void gpu_budget_end_window(struct gpu_budget *budget);

/*
 * Returns the share of the steps, in 1 / 2^32, of which windows cost at most so many millionths of
 * the program's time. A power of two, so that ranks which measure a little differently draw the
 * same steps.
 */
uint32_t gpu_budget_share(const struct gpu_budget *budget, uint32_t parts_per_million);

#endif
