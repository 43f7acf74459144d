/* SPDX-License-Identifier: MIT */
/* The rows of PyTorch's modules as a table of report modules: names looked up. */
#ifndef REPORT_MODULES_ROWS_MODULES_H
#define REPORT_MODULES_ROWS_MODULES_H

#include "report/ranges/ranges.h"
#include "report/table/table.h"

struct modules_totals {
	uint64_t calls, open;
	uint64_t total_ns; /* of calls that are inside no other */
};

/*
 * `tree`: a row for each path of modules, below the row of the module around it; otherwise one for
 * each name.
 */
struct modules_totals modules_fill_table(struct ranges *modules, const struct run *run,
					 struct table *table, bool tree);

#endif
