/* SPDX-License-Identifier: MIT */
/* The threads of a run as a table of report threads: see rows_threads.h. */
#include "report/process/rows_threads.h"

#include <string.h>

#include "report/core/absence.h"

void thread_put_name(const struct source_thread *thread, struct table *table, enum column_id column)
{
	const char *name;
	size_t length;

	thread_name(thread, &name, &length);
	if (length)
		table_set_text(table, column, name, length);
}

static const struct absence_column work_columns[] = {
	{ EVT_FAMILY_alloc, COLUMN_threads_allocations },
	{ EVT_FAMILY_alloc, COLUMN_threads_bytes_allocated },
	{ EVT_FAMILY_cuda, COLUMN_threads_cuda_calls },
	{ EVT_FAMILY_cuda, COLUMN_threads_cuda_ns },
	{ EVT_FAMILY_cuda, COLUMN_threads_launches },
	{ EVT_FAMILY_nvtx, COLUMN_threads_nvtx_ranges },
	{ EVT_FAMILY_torch, COLUMN_threads_operators },
};

static void threads_fill_row(struct table *table, const struct source_thread *thread,
			     const struct model_tally *tally)
{
	table_add_row(table);
	table_set_number(table, COLUMN_threads_pid, thread->process->pid);
	table_set_number(table, COLUMN_threads_tid, thread->tid);
	thread_put_name(thread, table, COLUMN_threads_name);
	table_set_number(table, COLUMN_threads_start_ns, thread->start_ns);
	table_set_number(table, COLUMN_threads_end_ns, thread->end_ns);
	table_set_number(table, COLUMN_threads_events, tally->events);
	table_set_number(table, COLUMN_threads_allocations, tally->work[1].allocations);
	table_set_number(table, COLUMN_threads_bytes_allocated, tally->work[1].bytes_allocated);
	table_set_number(table, COLUMN_threads_cuda_calls, tally->work[1].cuda_calls);
	table_set_number(table, COLUMN_threads_cuda_ns, tally->work[1].cuda_ns);
	table_set_number(table, COLUMN_threads_launches, tally->work[1].launches);
	table_set_number(table, COLUMN_threads_nvtx_ranges, tally->nvtx_ranges[1]);
	table_set_number(table, COLUMN_threads_operators, tally->work[1].operators);
}

struct threads_totals threads_fill_table(const struct model *model, struct table *table)
{
	struct threads_totals totals = { 0 };
	struct source_thread *const *thread;
	size_t count = source_threads(model->source, &thread);

	for (size_t i = 0; i < count; i++) {
		struct model_tally tally = model_tally_of_thread(model, thread[i]);

		if (run_filters(model->run)->any && !tally.events)
			continue;
		threads_fill_row(table, thread[i], &tally);
		absence_clear(model->run, table, work_columns,
			      sizeof(work_columns) / sizeof(*work_columns));
		totals.threads++;
		totals.events += tally.events;
		totals.allocations += tally.work[1].allocations;
		totals.bytes_allocated += tally.work[1].bytes_allocated;
		totals.cuda_calls += tally.work[1].cuda_calls;
		totals.cuda_ns += tally.work[1].cuda_ns;
		totals.launches += tally.work[1].launches;
		totals.nvtx_ranges += tally.nvtx_ranges[1];
		totals.operators += tally.work[1].operators;
	}
	return totals;
}
