/* SPDX-License-Identifier: MIT */
/*
 * Converts times of CUPTI's records to our clock. CUPTI has a clock of its own. Another user may
 * give it a second one (torch.profiler gives it the TSC), which all later records use; records that
 * are already under way may still use the first. So both clocks are known, and a record is accepted
 * if one of them makes sense of both its times.
 *
 * Any thread; no lock. A moment belongs to its caller.
 */
#ifndef PRELOAD_GPU_GPU_CLOCK_H
#define PRELOAD_GPU_GPU_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/gpu/cupti_api.h"

enum { GPU_CLOCK_CUPTI, GPU_CLOCK_THEIRS, GPU_CLOCKS };

/* All clocks at one time. Read once per buffer. */
struct gpu_moment {
	uint64_t ticks, apart_ticks; /* our clock, and the distance between its two readings */
	double ns_per_tick;
	/* by how much CUPTI's clock runs slower than ours, in parts per billion; 0: unknown */
	int64_t drift;
	struct {
		uint64_t stamp;
		double ns_per_unit; /* 0: there is no such clock */
	} clock[GPU_CLOCKS];
};

/* Drift can be measured from here on. */
void gpu_clock_begin(cupti_result (*timestamp)(uint64_t *));

bool gpu_moment_look(struct gpu_moment *ret_moment, cupti_result (*timestamp)(uint64_t *));

/*
 * Converts the record's times to nanoseconds before the moment, and a duration. Returns false if
 * the times make no sense.
 */
bool gpu_moment_place(const struct gpu_moment *moment, uint64_t start, uint64_t end,
		      int64_t *ret_ago_ns, uint64_t *ret_duration_ns);

/*
 * Another user's clock: call prepare while CUPTI still has its own clock, and follow when CUPTI has
 * taken the other.
 */
void gpu_clock_prepare(cupti_result (*timestamp)(uint64_t *));
void gpu_clock_follow(cupti_timestamp_function *theirs);
/* The timestamp function that another user gave CUPTI, or NULL. */
cupti_timestamp_function *gpu_clock_theirs(void);

#endif
