/* SPDX-License-Identifier: MIT */
/*
 * What we ask CUPTI for: kinds of records, and callbacks around calls that start work.
 *
 * CUPTI rests until the first range of capture opens: on an H100 a launch takes 1.5 us longer once kernels are told, and still 0.9 us when
 * they no longer are. It rests again while nothing is captured: after GPU_REST_CALLS callbacks with the gates shut it is asked for no work and no
 * calls, and for all of it again as soon as the gates open. Not at once when they shut: a range for each step opens again
 * before, and switching costs. CUDA's queue holds 1,024 launches, so nothing that was launched before the gates shut waits
 * any more when CUPTI rests. Memory, pools, devices and nodes of graphs are told all the time: they are few, and what was
 * given out or captured before a range is needed in it.
 *
 * Any thread; calls CUPTI: not from within a callback of CUPTI.
 */
#ifndef PRELOAD_GPU_GPU_ASKED_H
#define PRELOAD_GPU_GPU_ASKED_H

#include <stdbool.h>

#include "preload/gpu/cupti_api.h"

/* A launch by the runtime is two: its own, and the driver's beneath it. */
#define GPU_REST_CALLS 2500u

/* Callbacks and kinds, all of them. Fails where no kernel would be told; then nothing is asked for. */
cupti_result gpu_asked_begin(void);
/* Kinds off; who unsubscribes has no callbacks either. */
void gpu_asked_end(void);

/* A callback has come while the gates were shut. True: it is time to rest, by gpu_asked_rest(), from outside of CUPTI. */
bool gpu_asked_count(void);
void gpu_asked_rest(void);
/* The gates have opened: when it returns, work and calls are told. Fails as gpu_asked_begin(). */
cupti_result gpu_asked_wake(void);
/* Another user wants records, and ours say which calls are its: no rest from here on. */
void gpu_asked_stay(void);
void gpu_asked_forked(void);

#endif
