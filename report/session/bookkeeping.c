/* SPDX-License-Identifier: MIT */
/*
 * Which event fills which table. Definitions are applied before a frame's events are merged, so
 * their place in the frame does not matter. Everything else is applied when its time has come.
 */
#include "report/session/source_state.h"

#include "collector/format/error.h"

int books_define(struct file_row *file, const struct event *event, uint64_t time_ns)
{
	switch (event->id) {
	case EVT_string:
		return names_define(file, EVENT_AS(string, event)->id,
				    EVENT_AS(string, event)->text);
	case EVT_process:
		return process_define(file, EVENT_AS(process, event), time_ns);
	case EVT_thread:
		return stream_define(file, EVENT_AS(thread, event), time_ns);
	case EVT_python_line:
		return python_line_define(file, EVENT_AS(python_line, event));
	default:
		return EVT_OK;
	}
}

static void process_note_cpu(struct file_row *file, struct process_row *row, uint64_t cpu_ns)
{
	if (cpu_ns <= row->process.cpu_ns)
		return;
	file->source->cpu_ns += cpu_ns - row->process.cpu_ns;
	row->process.cpu_ns = cpu_ns;
}

static int process_take_end(struct file_row *file, const struct evt_process_end *event,
			    uint64_t time_ns)
{
	struct process_row *row;
	int error = process_mention(file, event->process, time_ns, &row);

	if (error)
		return error;
	file->source->processes_ended += !row->process.ended;
	row->process.ended = true;
	row->process.end_ns = time_ns > row->process.end_ns ? time_ns : row->process.end_ns;
	row->process.exit_status = event->exit_status;
	row->process.how = event->how <= EVT_END_EXEC ? (uint32_t)event->how : EVT_END_UNKNOWN;
	row->process.oom_kills = event->oom_kills;
	row->process.oom_within_ns = event->oom_within_ns;
	row->process.oom_is_machine = event->oom_machine == 1;
	process_note_cpu(file, row, event->cpu_ns);
	return EVT_OK;
}

static int bookkeeping_process_take_cpu(struct file_row *file, const struct evt_process_cpu *event,
					uint64_t time_ns)
{
	struct process_row *row;
	int error = process_mention(file, event->process, time_ns, &row);

	if (error)
		return error;
	process_note_cpu(file, row, event->cpu_ns);
	if (row->process.stopped == 1 && event->stopped != 1)
		row->process.stops_ns += time_ns - row->process.stopped_ns;
	if (event->stopped && !row->process.stopped)
		row->process.stopped_ns = time_ns;
	row->process.stopped = (uint32_t)(event->stopped < 3 ? event->stopped : 0);
	if (event->memory_bytes > row->process.memory_bytes)
		row->process.memory_bytes = event->memory_bytes;
	return EVT_OK;
}

/*
 * What is left of a process that was killed, or ended by _exit(), may be less than what was seen of
 * it earlier.
 */
static int process_take_memory(struct file_row *file, const struct evt_process_memory *event,
			       uint64_t time_ns)
{
	struct process_row *row;
	int error = process_mention(file, event->process, time_ns, &row);

	if (!error && event->resident_bytes > row->process.memory_peak_bytes)
		row->process.memory_peak_bytes = event->resident_bytes;
	return error;
}

static int process_take_usage(struct file_row *file, const struct evt_process_usage *event,
			      uint64_t time_ns)
{
	struct process_row *row;
	int error = process_mention(file, event->process, time_ns, &row);

	if (error)
		return error;
	row->process.has_usage = true;
	if (event->memory_peak_bytes > row->process.memory_peak_bytes)
		row->process.memory_peak_bytes = event->memory_peak_bytes;
	row->process.children_ns = event->children_ns;
	row->process.major_faults = event->major_faults;
	row->process.disk_read = event->disk_read;
	row->process.disk_written = event->disk_written;
	row->process.memory_limit_bytes = event->memory_limit_bytes;
	return EVT_OK;
}

static int process_take_sampling(struct file_row *file, const struct evt_python_sampling *event,
				 uint64_t time_ns)
{
	struct process_row *row;
	int error = process_mention(file, event->process, time_ns, &row);

	if (error)
		return error;
	row->process.samples_torn = event->torn;
	row->process.samples_dropped = event->dropped;
	return EVT_OK;
}

static int thread_take_name(struct file_row *file, const struct evt_thread_name *event,
			    uint64_t time_ns)
{
	struct process_row *process;
	struct thread_row *row;
	int error = process_mention(file, event->process, time_ns, &process);

	if (error)
		return error;
	row = thread_find(file->source, &process->process, event->tid, time_ns);
	if (row)
		thread_take_kernel_name(file->source, &row->thread,
					source_name_of(file->source, &file->file, event->name));
	return EVT_OK;
}

int books_take(struct file_row *file, const struct event *event, uint64_t time_ns)
{
	switch (event->id) {
	case EVT_process_end:
		return process_take_end(file, EVENT_AS(process_end, event), time_ns);
	case EVT_process_cpu:
		return bookkeeping_process_take_cpu(file, EVENT_AS(process_cpu, event), time_ns);
	case EVT_process_usage:
		return process_take_usage(file, EVENT_AS(process_usage, event), time_ns);
	case EVT_process_memory:
		return process_take_memory(file, EVENT_AS(process_memory, event), time_ns);
	case EVT_python_sampling:
		return process_take_sampling(file, EVENT_AS(python_sampling, event), time_ns);
	case EVT_thread_name:
		return thread_take_name(file, EVENT_AS(thread_name, event), time_ns);
	case EVT_thread_end:
		stream_end(file, EVENT_AS(thread_end, event), time_ns);
		return EVT_OK;
	case EVT_thread_sched:
		stream_take_sched(file, EVENT_AS(thread_sched, event));
		return EVT_OK;
	case EVT_module:
		return module_define(file, EVENT_AS(module, event), time_ns);
	case EVT_module_end:
		module_end(file, EVENT_AS(module_end, event), time_ns);
		return EVT_OK;
	case EVT_lost:
		return loss_add(file, EVENT_AS(lost, event), time_ns);
	case EVT_meta:
		return meta_add(file, EVENT_AS(meta, event), time_ns);
	case EVT_cost:
		file->file.cost_cpu_ns = EVENT_AS(cost, event)->cpu_ns;
		file->file.cost_memory_bytes = EVENT_AS(cost, event)->memory_bytes;
		file->file.cost_waits = EVENT_AS(cost, event)->waits;
		return EVT_OK;
	default:
		return EVT_OK;
	}
}

void books_take_own(struct thread_row *thread, struct file_row *file, const struct event *event)
{
	const struct evt_nvtx_thread_name *named = EVENT_AS(nvtx_thread_name, event);

	if (event->id == EVT_thread_clock) {
		thread_note_cpu(&thread->thread, EVENT_AS(thread_clock, event)->cpu_ns);
		return;
	}
	if (event->id == EVT_python_task) {
		thread->thread.task = (struct task){ EVENT_AS(python_task, event)->task,
						     EVENT_AS(python_task, event)->outer,
						     EVENT_AS(python_task, event)->generator };
		return;
	}
	thread_set_name(
		file->source, thread->thread.process, named->tid, event->time_ns,
		&(struct thread_naming){ source_name_of(file->source, &file->file, named->name),
					 named->pool_threads });
}
