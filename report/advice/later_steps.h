/* SPDX-License-Identifier: MIT */
/*
 * The steps that may be compared with each other: without the first one of each process, which is
 * warm-up, and without those in which torch.compile compiled again, which have advice of their own.
 *
 * A host that is ahead of its GPU has steps of any length: short ones while the queue accepts work,
 * long ones where the host waits. The cost of such a step is the GPU time that it launched, plus
 * the time that the GPU was idle in it.
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
	uint64_t *ns;   /* by row: its duration or cost */
	struct timing time;
	uint64_t p50_ns;
	uint64_t recompiled;    /* steps that are left out for that reason, without the first */
	uint64_t recompiled_ns; /* their duration */
};

struct later_steps_of {
	const struct steps *steps; /* with rows */
	const struct evidence *evidence;
	const struct steady_loop *loop;
	const struct gpu_evidence
		*gpu; /* NULL: the loop uses no GPU, or its work was not recorded */
};
/* Fills it from the loop; to be released. */
void later_steps_look(struct later_steps *later, const struct later_steps_of *of);
void later_steps_release(struct later_steps *later);

#endif
