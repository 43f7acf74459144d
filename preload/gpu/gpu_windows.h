/* SPDX-License-Identifier: MIT */
/*
 * INTERCEPT_GPU_STEPS: the GPU is recorded in windows, each a row of whole steps. Between them
 * CUPTI is off, and detached where it may be (gpu_can_detach()).
 *
 * CUPTI is on before the first step of a window, until the work that was launched without it has
 * left the GPU's queue, and after the last step, until that step's work has. What is launched in
 * those steps is reported, but its calls are not recorded, so it counts nowhere by itself. It only
 * tells when the GPU was busy.
 *
 * Any thread; one at a time changes the stage, and others leave it to that one.
 */
#ifndef PRELOAD_GPU_GPU_WINDOWS_H
#define PRELOAD_GPU_GPU_WINDOWS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "preload/base/hidden.h"
#include "preload/record/capture.h"

/* All that is not 0 is between windows. */
enum gpu_stage {
	GPU_STAGE_COUNTS, /* in a window, or there are none */
	GPU_STAGE_LEADS,
	GPU_STAGE_TRAILS,
	GPU_STAGE_OFF,
};
extern _Atomic int gpu_stage PRELOAD_HIDDEN;

/* CUPTI's records of work are wanted. */
static inline bool gpu_is_wanted(void)
{
	return capture_is_on() &&
	       atomic_load_explicit(&gpu_stage, memory_order_relaxed) != GPU_STAGE_OFF;
}

/* The calls of now count. */
static inline bool gpu_windows_count(void)
{
	return atomic_load_explicit(&gpu_stage, memory_order_relaxed) == GPU_STAGE_COUNTS;
}

/*
 * A call that starts work, or waits for it, has ended while gpu_windows_count() was false.
 * `counts`: it had begun before, so its work is still to come.
 */
void gpu_windows_take_call(const char *function, bool counts);

/* A capture that was asked for has opened, which is a window as soon as that can be. */
void gpu_windows_opened(void);

void gpu_windows_start(void);
void gpu_windows_forked(void);

#endif
