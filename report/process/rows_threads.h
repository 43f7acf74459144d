/* SPDX-License-Identifier: MIT */
/* The threads of a run as a table of report threads. */
#ifndef REPORT_PROCESS_ROWS_THREADS_H
#define REPORT_PROCESS_ROWS_THREADS_H

#include "report/core/work.h"
#include "report/table/table.h"

struct threads_totals {
	uint64_t threads, events;
	struct work work;
};

/* `table` has columns of report threads; with filters, threads without an event that counts are left out. */
struct threads_totals threads_fill_table(const struct run *run, const struct works *works,
					 struct table *table);
/* What its columns are of. */
struct works *threads_want(struct run *run);

#endif
