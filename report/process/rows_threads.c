/* SPDX-License-Identifier: MIT */
/* The threads of a run as a table of report threads: see rows_threads.h. */
#include "report/process/rows_threads.h"

struct works *threads_want(struct run *run)
{
	run_counts_all(run);
	return works_want(run, work_bits_of("threads"));
}

static void set_times(struct table *table, const struct thread_times *times)
{
	if (times->has_cpu)
		table_set_number(table, COLUMN_threads_cpu_ns, times->cpu_ns);
	if (!times->has_waits)
		return;
	table_set_number(table, COLUMN_threads_runnable_ns, times->runnable_ns);
	table_set_number(table, COLUMN_threads_blocked_ns, times->blocked_ns);
	table_set_number(table, COLUMN_threads_voluntary_switches, times->voluntary);
	table_set_number(table, COLUMN_threads_involuntary_switches, times->involuntary);
}

/* Of its whole life: nothing where a part of that counts. */
static struct thread_times times_of(const struct run *run, const struct source_thread *thread)
{
	if (filter_cuts_lives(&run_filters(run)->settings))
		return (struct thread_times){ .has_cpu = false };
	return thread_times(thread);
}

static void threads_fill_row(struct table *table, const struct source_thread *thread,
			     struct thread_times times, uint64_t events)
{
	const char *name;
	size_t length;

	table_add_row(table);
	table_set_number(table, COLUMN_threads_pid, thread->process->pid);
	table_set_number(table, COLUMN_threads_tid, thread->tid);
	thread_name(thread, &name, &length);
	if (length)
		table_set_text(table, COLUMN_threads_name, name, length);
	table_set_number(table, COLUMN_threads_start_ns, thread->start_ns);
	table_set_number(table, COLUMN_threads_end_ns, thread->end_ns);
	set_times(table, &times);
	table_set_number(table, COLUMN_threads_events, events);
}

struct threads_totals threads_fill_table(const struct run *run, const struct works *works,
					 struct table *table)
{
	struct work_columns columns = work_columns_of("threads", run);
	struct threads_totals totals = { 0 };
	struct source_thread *const *thread;
	size_t count = source_threads(run_source(run), &thread);

	for (size_t i = 0; i < count; i++) {
		struct work work = works_counted_of_thread(works, thread[i]);
		uint64_t events = run_events_of_thread(run, thread[i]);

		if (run_filters(run)->any && !events)
			continue;
		threads_fill_row(table, thread[i], times_of(run, thread[i]), events);
		work_put_columns(&columns, table, &work);
		totals.threads++;
		totals.events += events;
		work_add(&totals.work, &work);
	}
	return totals;
}
