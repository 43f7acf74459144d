/* SPDX-License-Identifier: MIT */
/*
 * The training loop on which advice is based: the steps without those of each process's warm-up.
 * Warm-up steps are the steps 0, 1, ... of a process while each takes LOOP_WARM_RATIO times the
 * median, at most EVIDENCE_SETTLED of them: compilations and imports in them are not typical of the
 * rest.
 */
#ifndef REPORT_ADVICE_STEADY_LOOP_H
#define REPORT_ADVICE_STEADY_LOOP_H

#include <stdbool.h>

#include "report/advice/evidence.h"
#include "report/steps/steps.h"

#define LOOP_WARM_RATIO 3u
#define LOOP_STEPS_MIN 3u /* steps that must follow a step before it can be classified */

#define LOOP_GPU_BOUND 0.9 /* share of the loop's time in which the GPU is busy */

#define STEADY_LOOP_TEXT_BYTES 64

struct steady_loop {
	uint64_t steps, total_ns; /* settled steps that have detail (core/detail.h) */
	struct step_host host;    /* and those in which the GPU was not recorded */
	uint64_t all_ns;          /* duration of all settled steps, with detail or without */
	uint64_t ns[STEP_CATEGORY_LIMIT];
	uint64_t gpu_ns; /* a device was busy */
	struct step_cpu cpu;
	struct step_phase_times phases;
	struct evidence_work work;
	uint64_t median_ns; /* of all steps but the first of each process; 0: too few steps */
	uint64_t warm_steps, warm_ns, warm_longest_ns;
	bool *is_warm; /* by row of the steps: left out */
};

/* `steps` must have rows. To be released. */
void steady_loop_look(struct steady_loop *loop, const struct steps *steps,
		      const struct evidence *evidence);
void steady_loop_release(struct steady_loop *loop);
/*
 * Whether the GPU is busy nearly all the time, and for which phases is known. The phases of the
 * host then say where it waits for the GPU, and loop->phases.asked_ns what the GPU works for.
 */
bool steady_loop_is_gpu_bound(const struct steady_loop *loop);
/* Returns the phase that asks for most of the GPU's work. */
enum step_phase steady_loop_asks_most(const struct steady_loop *loop);
/* "without the first 3 steps", which are no part of its sums; empty: they have all steps. */
const char *steady_loop_left_out(const struct steady_loop *loop, char text[STEADY_LOOP_TEXT_BYTES]);

#endif
