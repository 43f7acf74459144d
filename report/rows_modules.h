/* SPDX-License-Identifier: MIT */
/* The rows of PyTorch's modules as a table of report modules: names looked up, rows of the same text joined. */
#ifndef REPORT_ROWS_MODULES_H
#define REPORT_ROWS_MODULES_H

#include "report/model.h"
#include "report/table.h"

struct modules_totals {
	uint64_t calls, open;
	uint64_t total_ns; /* of calls that are in no other */
};

/* `tree`: a row for each path of modules, below the row around it; else one for each name. */
struct modules_totals modules_fill_table(struct model *model, struct table *table, bool tree);

#endif
