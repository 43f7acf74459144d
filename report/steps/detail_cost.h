/* SPDX-License-Identifier: MIT */
/*
 * What detail costs (INTERCEPT_BUDGET): where a window begins or ends, steps with detail lie beside
 * steps without. The median of these differences is what detail adds to a step, so a few slow steps
 * do not matter. What is recorded in all steps is not in it.
 */
#ifndef REPORT_STEPS_DETAIL_COST_H
#define REPORT_STEPS_DETAIL_COST_H

#include <stdbool.h>

#include "report/steps/steps.h"

struct detail_cost {
	double step_ns; /* that detail adds to a step, at least 0 */
	double share;   /* that it adds to all steps, of their time: 0 to 1 */
};

/* `steps` must have rows. Returns false if too few windows begin and end to tell. */
bool steps_detail_cost(const struct steps *steps, struct detail_cost *ret_cost);

#endif
