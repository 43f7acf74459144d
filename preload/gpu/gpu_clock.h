/* SPDX-License-Identifier: MIT */
/*
 * The clocks of CUPTI's records against ours. CUPTI has one of its own; another user of it may give it a second
 * (torch.profiler gives it the TSC), which everybody's records have from then on, and those on their way may still
 * have the first. So both are kept, and a record is believed where one of them makes sense of both its times.
 *
 * Any thread; no lock. A moment belongs to its caller.
 */
#ifndef PRELOAD_GPU_GPU_CLOCK_H
#define PRELOAD_GPU_GPU_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/gpu/cupti_api.h"

enum { GPU_CLOCK_CUPTI, GPU_CLOCK_THEIRS, GPU_CLOCKS };

/* All clocks at one time. Once a buffer. */
struct gpu_moment {
	uint64_t ticks, apart_ticks; /* between the two looks at ours */
	double ns_per_tick;
	int64_t drift; /* parts per billion that CUPTI's clock runs slower than ours; 0: unknown */
	struct {
		uint64_t stamp;
		double ns_per_unit; /* 0: there is no such clock */
	} clock[GPU_CLOCKS];
};

/* From here on a drift can be known. */
void gpu_clock_begin(cupti_result (*timestamp)(uint64_t *));

bool gpu_moment_look(struct gpu_moment *ret_moment, cupti_result (*timestamp)(uint64_t *));

/* From the record's times to nanoseconds before the moment, and how long it took. False: they make no sense. */
bool gpu_moment_place(const struct gpu_moment *moment, uint64_t start, uint64_t end,
		      int64_t *ret_ago_ns, uint64_t *ret_duration_ns);

/* Another user's clock: prepare while CUPTI still has its own, follow when CUPTI has taken it. */
void gpu_clock_prepare(cupti_result (*timestamp)(uint64_t *));
void gpu_clock_follow(cupti_timestamp_function *theirs);
/* The timestamp function that another user gave CUPTI, or NULL. */
cupti_timestamp_function *gpu_clock_theirs(void);

#endif
