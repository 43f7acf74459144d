/* SPDX-License-Identifier: MIT */
/*
 * The row of a step: what of it is known, by what was recorded in the step (steps.h). All times are
 * nanoseconds. Pure functions.
 */
#ifndef REPORT_STEPS_STEP_ROW_H
#define REPORT_STEPS_STEP_ROW_H

#include <stdbool.h>

#include "report/steps/steps.h"

/*
 * Without operators, their time would count as that of others; without the GPU, it may have worked
 * at any time. `has_collectives`: then phases are not known without the GPU.
 */
void step_row_forget(struct step_row *row, const struct step_mark *mark, bool has_collectives);
/* What the host did while a device was busy is not known, nor which part of it. */
void step_row_forget_host(struct step_row *row);
/* Returns whether the host did nothing in the step. A GPU may still do earlier work. */
bool step_row_is_idle(const struct step_row *row);

#endif
