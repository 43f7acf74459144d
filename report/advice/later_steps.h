/* SPDX-License-Identifier: MIT */
/*
 * The steps that may be compared with each other: without the first of each process, its warm-up, and without those in which
 * torch.compile compiled again, which other advice is about.
 */
#ifndef REPORT_ADVICE_LATER_STEPS_H
#define REPORT_ADVICE_LATER_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/advice/evidence.h"
#include "report/advice/steady_loop.h"
#include "report/base/timing.h"
#include "report/steps/steps.h"

struct later_steps {
	bool *left_out; /* by row */
	struct timing time;
	uint64_t p50_ns;
	uint64_t recompiled;    /* steps of these that are left out, not counting the first */
	uint64_t recompiled_ns; /* that they took */
};

/* `steps` has rows, the loop was looked at; to be released. */
void later_steps_look(struct later_steps *later, const struct steps *steps,
		      const struct evidence *evidence, const struct steady_loop *loop);
void later_steps_release(struct later_steps *later);

#endif
