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

/* All zeros: all steps. */
struct gpu_steps {
	uint32_t block;  /* steps that are recorded in a row */
	uint32_t period; /* in each so many steps there is one block; 0: all are recorded */
	uint32_t first;  /* steps 0 to `first` - 1 are recorded in any case */
};

static inline bool gpu_steps_are_drawn(const struct gpu_steps *steps)
{
	return steps->period != 0;
}

/*
 * Parses "all" or "16/4096", the second with or without ",first=N" behind it. If it returns false,
 * the result is untouched.
 */
bool gpu_steps_parse(const char *text, struct gpu_steps *ret_steps);

/*
 * Returns whether the step is to be recorded. The place of the block in its period is drawn by the
 * period's number, so all processes come to the same answer.
 */
bool gpu_steps_draw(const struct gpu_steps *steps, uint64_t step);

#endif
