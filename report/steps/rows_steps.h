/* SPDX-License-Identifier: MIT */
/* Steps as a table of report steps, and in a line for the summary. */
#ifndef REPORT_STEPS_ROWS_STEPS_H
#define REPORT_STEPS_ROWS_STEPS_H

#include "report/table/export.h"
#include "report/core/model.h"

/* `table` has columns of report steps. */
void steps_fill_table(const struct model *model, struct table *table);

/* How many, what ended them, how long they took; without a newline. */
void steps_print_times(const struct model *model, const struct screen *screen);
/* Where the time of steps went, by category, the largest share first; without a newline. */
void steps_print_shares(const uint64_t *ns, uint64_t total_ns, const struct screen *screen);

/* Nothing when there was no step. */
void summary_print_steps(const struct model *model, const struct screen *screen);

#endif
