/* SPDX-License-Identifier: MIT */
/*
 * What we request from CUPTI: kinds of records, and callbacks around calls that start work.
 *
 * CUPTI is idle until the first capture range opens. On an H100, a launch takes 1.5 us longer while
 * kernels are reported, and 0.9 us longer after they were switched off. CUPTI becomes idle again
 * while nothing is captured: after GPU_REST_CALLS callbacks with the gates shut, records of work
 * and callbacks of calls are switched off. They are switched on again when the gates open. This
 * does not happen at once when the gates shut, because a range per step opens again soon, and
 * switching is expensive. CUDA's queue holds 1,024 launches, so no work launched before the gates
 * were shut is still waiting when CUPTI becomes idle. Memory, pools, devices and graph nodes are
 * reported all the time: they are few, and a later range needs what was allocated or captured
 * before it. When CUPTI has been idle for GPU_DETACH_NS, it leaves the process if it may
 * (gpu_can_detach()), and then reports nothing. On an H200 a launch-bound step of PyTorch took 1.05
 * of the time without CUPTI while CUPTI was idle, and 0.97 once it had left. To leave takes 5 ms,
 * to come back 13 ms.
 *
 * Any thread. Calls CUPTI, so not from within a callback of CUPTI.
 */
#ifndef PRELOAD_GPU_GPU_ASKED_H
#define PRELOAD_GPU_GPU_ASKED_H

#include <stdbool.h>

#include "preload/gpu/cupti_api.h"

/* A launch by the runtime counts as two: its own callback, and the driver's beneath it. */
#define GPU_REST_CALLS 2500u
#define GPU_DETACH_NS 2000000000ull

/*
 * Switches on all callbacks and kinds. Fails if kernels would not be reported; then nothing is
 * switched on.
 */
cupti_result gpu_asked_begin(void);
/* Switches the kinds off. Callbacks end when the caller unsubscribes. */
void gpu_asked_end(void);

/*
 * Call in a callback while the gates are shut. True: it is time to call gpu_asked_rest() and
 * gpu_asked_may_detach(), from outside of CUPTI.
 */
bool gpu_asked_count(void);
void gpu_asked_rest(void);
/* The same at once, if records are not wanted (gpu_is_wanted()). */
void gpu_asked_rest_now(void);
/* gpu_windows_count() has changed: interposed calls take their number, or do not. */
void gpu_asked_correlate(void);
/* CUPTI has been idle for long enough. */
bool gpu_asked_may_detach(void);
/* From the next callback on that may detach CUPTI, gpu_asked_is_detaching() is true. */
void gpu_asked_detach_soon(void);
bool gpu_asked_is_detaching(void);
/*
 * The gates have opened. When it returns, work and calls are reported. Fails as gpu_asked_begin()
 * does.
 */
cupti_result gpu_asked_wake(void);
/*
 * Another user wants records, and ours say which calls are its own. So CUPTI never becomes idle
 * from here on.
 */
void gpu_asked_stay(void);
void gpu_asked_forked(void);

#endif
