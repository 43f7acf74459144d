/* SPDX-License-Identifier: MIT */
/*
 * Which share of its steps a process is to record with detail (INTERCEPT_BUDGET=2%): as many as
 * cost at most that part of its time. The cost is measured: where a detail window begins or ends,
 * the steps on one side have detail, and those on the other side have none. Medians of many such
 * differences decide, so that a slow step does not.
 *
 * The program reads the share from its entry of the region (preload/steps/detail.h) and draws. One
 * thread; allocates once for each process that has steps.
 */
#ifndef COLLECTOR_PROCESSES_STEERING_H
#define COLLECTOR_PROCESSES_STEERING_H

#include <stdbool.h>
#include <stdint.h>

#define STEERING_ALL 0u /* all steps have detail */

#define STEERING_STEPS 16u /* that are remembered */
#define STEERING_EDGES 31u /* differences that count: the latest */

struct steering_step {
	uint64_t ns;
	bool has_detail;
};

struct steering {
	uint64_t parts_per_million; /* budget */
	bool shares_with_gpu;       /* which has the other half */
	uint64_t full_until_ns;     /* before that time all steps have detail */
	uint64_t step_ns;           /* the current step began; 0: none has */
	bool has_detail;            /* now */
	bool began_with_detail;     /* the current step */
	uint64_t steps;             /* that have ended */
	struct steering_step step[STEERING_STEPS];
	uint64_t edges; /* that were measured */
	/* rings: what detail costs a step, what an edge costs, a step without detail */
	int64_t cost_ns[STEERING_EDGES], edge_ns[STEERING_EDGES], plain_ns[STEERING_EDGES];
	uint32_t share; /* in 1 / 2^32 */
};

void steering_init(struct steering *steering, uint64_t parts_per_million, uint64_t full_until_ns);
/* A detail window begins or ends. */
void steering_take_edge(struct steering *steering, bool begins);
/* The GPU is recorded in drawn steps, too (preload/gpu/gpu_windows.c), for half of the budget. */
void steering_share_with_gpu(struct steering *steering);
/* A step ends, and the next one begins. Returns the share that is wanted from now on. */
uint32_t steering_take_step(struct steering *steering, uint64_t time_ns);

#endif
