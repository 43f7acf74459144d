/* SPDX-License-Identifier: MIT */
/* Report `processes`: command, exit status, events, losses, share of the file. */
#include <stdlib.h>
#include <string.h>

#include "report/core/report_kind.h"
#include "report/core/work.h"

struct processes_totals {
	struct works *works;
	uint64_t processes, threads, events, events_lost, bytes_on_disk, cpu_ns;
	bool has_lives; /* columns about whole lives are valid: filter_cuts_lives() */
};

/*
 * The processes of a file share its bytes in proportion to their events. Rounding errors are
 * carried on, so that they add up.
 */
struct file_share {
	uint64_t all_events, events_before;
};

static uint64_t share_take(struct file_share *share, const struct source_process *process,
			   bool only)
{
	double bytes = (double)process->file->bytes;
	uint64_t before, after;

	if (!share->all_events)
		return only ? process->file->bytes : 0;
	before = (uint64_t)(bytes * ((double)share->events_before / (double)share->all_events));
	share->events_before += process->events;
	after = (uint64_t)(bytes * ((double)share->events_before / (double)share->all_events));
	return after - before;
}

static void set_usage(struct table *table, const struct source_process *process)
{
	if (!process->has_usage)
		return;
	if (process->memory_peak_bytes)
		table_set_number(table, COLUMN_processes_memory_peak_bytes,
				 process->memory_peak_bytes);
	table_set_number(table, COLUMN_processes_children_ns, process->children_ns);
	table_set_number(table, COLUMN_processes_major_faults, process->major_faults);
	if (process->disk_read)
		table_set_number(table, COLUMN_processes_disk_read_bytes, process->disk_read - 1);
	if (process->disk_written)
		table_set_number(table, COLUMN_processes_disk_written_bytes,
				 process->disk_written - 1);
}

static void set_waits(struct table *table, const struct source_process *process)
{
	struct thread_times times = process_times(process);

	if (!times.has_waits)
		return;
	table_set_number(table, COLUMN_processes_runnable_ns, times.runnable_ns);
	table_set_number(table, COLUMN_processes_blocked_ns, times.blocked_ns);
	table_set_number(table, COLUMN_processes_voluntary_switches, times.voluntary);
	table_set_number(table, COLUMN_processes_involuntary_switches, times.involuntary);
}

static void set_life(struct table *table, const struct source_process *process, uint64_t cpu_ns)
{
	if (cpu_ns) /* one that gave way to another program soon was never looked at */
		table_set_number(table, COLUMN_processes_cpu_ns, cpu_ns);
	set_waits(table, process);
	set_usage(table, process);
}

static void processes_fill_row(struct table *table, const struct source_process *process,
			       uint64_t rank, uint64_t events, uint64_t threads,
			       uint64_t bytes_on_disk)
{
	table_add_row(table);
	table_set_number(table, COLUMN_processes_pid, process->pid);
	table_set_number(table, COLUMN_processes_parent_pid, process->parent_pid);
	if (rank != UINT64_MAX)
		table_set_number(table, COLUMN_processes_rank, rank);
	if (process->command && process->command->text)
		table_set_text(table, COLUMN_processes_command, process->command->text,
			       process->command->length);
	table_set_number(table, COLUMN_processes_start_ns, process->start_ns);
	table_set_number(table, COLUMN_processes_end_ns, process->end_ns);
	if (process->ended && process->exit_status >= 0)
		table_set_number(table, COLUMN_processes_exit_status,
				 (uint64_t)process->exit_status);
	table_set_number(table, COLUMN_processes_threads, threads);
	table_set_number(table, COLUMN_processes_events, events);
	table_set_number(table, COLUMN_processes_events_lost, process->lost);
	table_set_number(table, COLUMN_processes_samples_torn, process->samples_torn);
	table_set_number(table, COLUMN_processes_samples_dropped, process->samples_dropped);
	table_set_number(table, COLUMN_processes_bytes_on_disk, bytes_on_disk);
	if (process->file->host)
		table_set_text(table, COLUMN_processes_host, process->file->host,
			       strlen(process->file->host));
}

static uint64_t losses_of_no_process(const struct source *source)
{
	const struct source_loss *loss;
	size_t count = source_losses(source, &loss);
	uint64_t lost = 0;

	for (size_t i = 0; i < count; i++)
		lost += loss[i].process || !lost_is_of_events(loss[i].reason) ? 0 : loss[i].count;
	return lost;
}

static void processes_want(struct report *report)
{
	run_counts_all(report->run);
	((struct processes_totals *)report->state)->works = works_want(report->run,
								       work_bits_of("processes"));
}

static void processes_fill(struct report *report, struct table *table)
{
	struct work_columns columns = work_columns_of("processes", NULL);
	struct source *source = run_source(report->run);
	struct processes_totals *totals = report->state;
	struct source_process *const *process;
	struct source_file *const *file;
	size_t count = source_processes(source, &process), files = source_files(source, &file);
	struct file_share *share = memory_zero(files, sizeof(*share));

	totals->has_lives = !filter_cuts_lives(&run_filters(report->run)->settings);
	for (size_t i = 0; i < count; i++)
		share[process[i]->file->index].all_events += process[i]->events;
	for (size_t i = 0; i < count; i++) {
		struct work work = works_counted_of_process(totals->works, process[i]);
		uint64_t events = run_events_of_process(report->run, process[i]);
		uint64_t bytes = share_take(&share[process[i]->file->index], process[i],
					    process[i]->number == 1);
		uint64_t threads = process[i]->thread_count;
		uint64_t cpu_ns = process_own_cpu_ns(source, process[i]);

		if (run_filters(report->run)->any && !events)
			continue;
		processes_fill_row(table, process[i], source_rank(source, process[i]), events,
				   threads, bytes);
		if (totals->has_lives)
			set_life(table, process[i], cpu_ns);
		work_put_columns(&columns, table, &work);
		totals->processes++;
		totals->threads += threads;
		totals->events += events;
		totals->events_lost += process[i]->lost;
		totals->bytes_on_disk += bytes;
		totals->cpu_ns += cpu_ns;
	}
	if (!run_filters(report->run)->any)
		totals->events_lost += losses_of_no_process(source);
	free(share);
}

static void processes_total(const struct report *report, struct facts *facts)
{
	const struct processes_totals *totals = report->state;

	facts_number(facts, "processes", UNIT_COUNT, totals->processes);
	facts_number(facts, "threads", UNIT_COUNT, totals->threads);
	facts_number(facts, "events", UNIT_COUNT, totals->events);
	facts_number(facts, "events_lost", UNIT_COUNT, totals->events_lost);
	facts_number(facts, "bytes_on_disk", UNIT_BYTES, totals->bytes_on_disk);
	if (totals->has_lives)
		facts_number(facts, "cpu_ns", UNIT_NS, totals->cpu_ns);
	else
		facts_none(facts, "cpu_ns", UNIT_NS);
}

const struct report_kind report_kind_processes = {
	.state_bytes = sizeof(struct processes_totals),
	.form = REPORT_WHOLE,
	.want = processes_want,
	.fill = processes_fill,
	.total = processes_total,
};
