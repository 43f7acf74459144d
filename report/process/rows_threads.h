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

/*
 * `table` must have the columns of report threads. With filters, threads without a counted event
 * are left out.
 */
struct threads_totals threads_fill_table(const struct run *run, const struct works *works,
					 struct table *table);
/*
 * Returns the CPU time of the processes that belongs to no thread of the table. False: it is
 * unknown, or too small to mention. `ret_sampled`: number of threads known only from samples, whose
 * CPU time is part of it.
 */
bool threads_rest(const struct run *run, uint64_t *ret_cpu_ns, uint64_t *ret_sampled);
/* Prints a sentence about it, if there is anything to say. */
void threads_print_rest(const struct run *run, const struct screen *screen);

/* Requests what its columns need. */
struct works *threads_want(struct run *run);

#endif
