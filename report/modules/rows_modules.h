/* SPDX-License-Identifier: MIT */
/* The rows of PyTorch's modules as a table of report modules: names looked up. */
#ifndef REPORT_MODULES_ROWS_MODULES_H
#define REPORT_MODULES_ROWS_MODULES_H

#include "report/modules/module_events.h"
#include "report/table/table.h"

struct modules_totals {
	uint64_t calls, recomputed_calls, open;
	uint64_t total_ns, phase_ns[MODULE_PHASES]; /* each moment of a thread counts once */
};

/*
 * `tree`: a row for each path of modules, below the row of the module around it; otherwise one for
 * each name.
 */
struct modules_totals modules_fill_table(const struct modules *modules, const struct run *run,
					 struct table *table, bool tree);

/* Class and dotted name of a module, from the name that it was recorded under. */
void modules_put_name(struct table *table, const struct source_name *name,
		      enum column_id module_column, enum column_id class_column);

#endif
