/* SPDX-License-Identifier: MIT */
/*
 * The threads of a run as a table of report threads: one row per thread, with its times and work.
 */
#include "report/process/rows_threads.h"

#include "report/base/units.h"
#include "report/core/why_empty.h"

#define REST_NS_MIN 100000000u
#define REST_SHARE_MIN 0.1 /* share of the processes' CPU time */

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

/* Times of its whole life; nothing if only a part of that counts. */
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

bool threads_rest(const struct run *run, uint64_t *ret_cpu_ns, uint64_t *ret_sampled)
{
	struct source_process *const *process;
	struct source_thread *const *thread;
	size_t processes = source_processes(run_source(run), &process);
	size_t threads = source_threads(run_source(run), &thread);
	uint64_t cpu_ns = 0, told_ns = 0, sampled = 0;

	for (size_t i = 0; i < processes; i++)
		cpu_ns += process[i]->cpu_ns;
	for (size_t i = 0; i < threads; i++) {
		struct thread_times times = thread_times(thread[i]);

		if (thread[i]->has_records && !times.has_cpu)
			return false; /* in a recording without thread clocks */
		sampled += !times.has_cpu;
		told_ns += times.cpu_ns;
	}
	if (!threads || run_filters(run)->any || why_empty_is_limited(run) ||
	    cpu_ns < told_ns + REST_NS_MIN ||
	    (double)(cpu_ns - told_ns) < REST_SHARE_MIN * (double)cpu_ns)
		return false;
	*ret_cpu_ns = cpu_ns - told_ns;
	*ret_sampled = sampled;
	return true;
}

void threads_print_rest(const struct run *run, const struct screen *screen)
{
	uint64_t cpu_ns, sampled;
	char text[UNIT_TEXT_BYTES], number[UNIT_TEXT_BYTES], those[64 + UNIT_TEXT_BYTES] = "";

	if (!threads_rest(run, &cpu_ns, &sampled))
		return;
	if (sampled)
		snprintf(those, sizeof(those), " (%s of them known by samples)",
			 unit_format_count(number, sampled));
	screen_print_prose(
		screen,
		"Threads that recorded nothing%s, and time before recording began, took %s "
		"of CPU time.",
		those, unit_format_ns(text, cpu_ns));
}
