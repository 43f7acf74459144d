/* SPDX-License-Identifier: MIT */
/*
 * The steps that may be compared with each other: without the first of each process, its warm-up,
 * and without those in which torch.compile compiled again, which other advice is about.
 *
 * A host that is ahead of its GPU has steps of any length: short ones while the queue takes work,
 * long ones where it waits. The cost of such a step is the GPU's time that it asked for, and the
 * time that the GPU idled in it.
 */
#ifndef REPORT_ADVICE_LATER_STEPS_H
#define REPORT_ADVICE_LATER_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/advice/evidence.h"
#include "report/advice/gpu_evidence.h"
#include "report/advice/steady_loop.h"
#include "report/base/timing.h"
#include "report/steps/steps.h"

struct later_steps {
	bool *left_out; /* by row */
	uint64_t *ns;   /* by row: what it took, or costs */
	struct timing time;
	uint64_t p50_ns;
	uint64_t recompiled;    /* steps of these that are left out, not counting the first */
	uint64_t recompiled_ns; /* that they took */
};

struct later_steps_of {
	const struct steps *steps; /* with rows */
	const struct evidence *evidence;
	const struct steady_loop *loop;
	const struct gpu_evidence
		*gpu; /* NULL: the loop runs on no GPU, or what it did was not told */
};
/* The loop was looked at; to be released. */
void later_steps_look(struct later_steps *later, const struct later_steps_of *of);
void later_steps_release(struct later_steps *later);

#endif
