/* SPDX-License-Identifier: MIT */
/*
 * INTERCEPT_GPU_STEPS: in which steps the GPU is recorded. Pure functions, which do not know what a
 * step is.
 */
#ifndef PRELOAD_SETTINGS_GPU_STEPS_H
#define PRELOAD_SETTINGS_GPU_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#define GPU_STEPS_FIRST 100u /* steps at the start that are recorded, if the user sets nothing */
#define GPU_STEPS_BLOCK 16u  /* steps in a row, of those that INTERCEPT_BUDGET draws */

/* All zeros: all steps. */
struct gpu_steps {
	uint32_t block;  /* steps that are recorded in a row */
	uint32_t period; /* in each so many steps there is one block; 0: all are recorded */
	uint32_t first;  /* steps 0 to `first` - 1 are recorded in any case */
	bool by_budget;  /* "auto": as many as INTERCEPT_BUDGET allows, all if that is not set */
};

static inline bool gpu_steps_are_drawn(const struct gpu_steps *steps)
{
	return steps->period != 0;
}

/*
 * Parses "auto", "all" or "16/4096", the last with or without ",first=N" behind it. If it returns
 * false, the result is untouched.
 */
bool gpu_steps_parse(const char *text, struct gpu_steps *ret_steps);

/*
 * Returns whether the step is to be recorded. The place of the block in its period is drawn by the
 * period's number, so all processes come to the same answer.
 */
bool gpu_steps_draw(const struct gpu_steps *steps, uint64_t step);

/*
 * The same for INTERCEPT_BUDGET: blocks of GPU_STEPS_BLOCK steps, each drawn by its number, of
 * which about `share` (in 1 / 2^32) are. A step that is drawn with one share is with each larger
 * one.
 */
bool gpu_steps_draw_share(uint32_t share, uint64_t step);

#endif
