/* SPDX-License-Identifier: MIT */
/* The threads of a run as a table of report threads. */
#ifndef REPORT_PROCESS_ROWS_THREADS_H
#define REPORT_PROCESS_ROWS_THREADS_H

#include "report/core/model.h"
#include "report/table/table.h"

struct threads_totals {
	uint64_t threads, events, allocations, bytes_allocated, cuda_calls, cuda_ns, launches,
		nvtx_ranges, operators;
};

/* `table` has columns of report threads; with filters, threads without an event that counts are left out. */
struct threads_totals threads_fill_table(const struct model *model, struct table *table);

/* Into the row added last; nothing when it has none. */
void thread_put_name(const struct source_thread *thread, struct table *table,
		     enum column_id column);

#endif
