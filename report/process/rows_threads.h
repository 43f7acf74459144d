/* SPDX-License-Identifier: MIT */
/* The threads of a run as a table of report threads. */
#ifndef REPORT_PROCESS_ROWS_THREADS_H
#define REPORT_PROCESS_ROWS_THREADS_H

#include "report/core/work.h"
#include "report/table/export.h"
#include "report/table/table.h"

struct threads_totals {
	uint64_t threads, events;
	struct work work;
};

/* `table` has columns of report threads; with filters, threads without an event that counts are left out. */
struct threads_totals threads_fill_table(const struct run *run, const struct works *works,
					 struct table *table);
/*
 * CPU time of the processes that no thread of the table has; false: it cannot be told, or is too little to be told. `ret_sampled`:
 * threads that are known by samples only, whose CPU time is part of it.
 */
bool threads_rest(const struct run *run, uint64_t *ret_cpu_ns, uint64_t *ret_sampled);
/* A sentence about it, if there is anything to say. */
void threads_print_rest(const struct run *run, const struct screen *screen);

/* What its columns are of. */
struct works *threads_want(struct run *run);

#endif
