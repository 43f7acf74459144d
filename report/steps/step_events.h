/* SPDX-License-Identifier: MIT */
/* Steps as an analysis of a run. */
#ifndef REPORT_STEPS_STEP_EVENTS_H
#define REPORT_STEPS_STEP_EVENTS_H

#include "report/core/analysis.h"
#include "report/steps/steps.h"

struct steps_options {
	const char *name; /* of --step: what ends steps; NULL: the recorded steps */
	uint64_t wants_rows;
	uint64_t host_only;  /* GPU work is not wanted */
	uint64_t marks_only; /* only where steps begin and end, as far as marks say it */
};
ANALYSIS(steps, struct steps)

#endif
