/* SPDX-License-Identifier: MIT */
/*
 * The producer of traces. The analysis opens a file for each rank when it meets the first process
 * of it. When everything is read, trace_write() names processes, threads and streams and closes the
 * files.
 */
#include "report/trace/producer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

#ifndef INTERCEPT_VERSION
#define INTERCEPT_VERSION "unknown"
#endif

const char *const trace_words[TRACE_CATEGORY_LIMIT] = {
#define TRACE_CATEGORY_WORD(id, word) [TRACE_##id] = word,
	TRACE_CATEGORIES(TRACE_CATEGORY_WORD)
};

const char *const trace_argument_names[TRACE_ARGUMENT_LIMIT] = {
#define TRACE_ARGUMENT_NAME(id, name) [TRACE_OF_##id] = name,
	TRACE_ARGUMENTS(TRACE_ARGUMENT_NAME)
};

struct trace_text trace_dimensions_text(char *text, const uint32_t size[3])
{
	int length = snprintf(text, TRACE_DIMENSIONS_BYTES, "[%u, %u, %u]", size[0], size[1],
			      size[2]);

	return (struct trace_text){ .text = text, .length = (size_t)length };
}

/* --- processes and files --- */

static void room_for_process(struct trace *trace, uint32_t index)
{
	size_t before = trace->process_room, room = before;

	if (index < before)
		return;
	trace->of_process = memory_room(trace->of_process, index, &room,
					sizeof(*trace->of_process));
	room = before;
	trace->pid_shown = memory_room(trace->pid_shown, index, &room, sizeof(*trace->pid_shown));
	room = before;
	trace->has_steps = memory_room(trace->has_steps, index, &room, sizeof(*trace->has_steps));
	trace->process_room = room;
}

uint64_t trace_pid(struct trace *trace, const struct source_process *process)
{
	struct source_process *const *other;
	size_t count = source_processes(trace->source, &other);
	uint64_t same = 0;

	room_for_process(trace, process->index);
	if (trace->pid_shown[process->index])
		return trace->pid_shown[process->index];
	for (size_t i = 0; i < count && i < process->index; i++)
		same += other[i]->pid == process->pid;
	trace->pid_shown[process->index] = process->pid + same * TRACE_PIDS;
	return trace->pid_shown[process->index];
}

/* A worker has the rank of the process that started it. */
static uint64_t trace_rank_of(struct trace *trace, const struct source_process *process)
{
	uint64_t rank = UINT64_MAX;

	for (unsigned int depth = 0; process && rank == UINT64_MAX && depth < 64; depth++) {
		rank = source_rank(trace->source, process);
		process = process->parent;
	}
	return rank;
}

static bool is_file_of(const struct trace *trace, const struct trace_file *file, uint64_t rank,
		       const char *host)
{
	if (!trace->options.by_rank)
		return true;
	return file->rank == rank && (!trace->writer->splits_hosts || !strcmp(file->host, host));
}

static struct trace_file *trace_add_file(struct trace *trace, uint64_t rank, uint64_t world_size,
					 const char *host)
{
	struct trace_file *file, **last = &trace->files;

	for (file = trace->files; file; file = file->next) {
		if (is_file_of(trace, file, rank, host))
			return file;
		last = &file->next;
	}
	if (trace->failed)
		return NULL;
	file = memory_zero(1, sizeof(*file));
	*file = (struct trace_file){
		.state = trace->options.state,
		.rank = rank,
		.world_size = world_size,
		.host = host,
	};
	if (!trace->writer->open ||
	    !trace->writer->open(file, trace->options.request, &trace->head)) {
		*last = file;
		return file;
	}
	trace->failed = true;
	free(file);
	return NULL;
}

struct trace_file *trace_file_of(struct trace *trace, const struct source_process *process)
{
	room_for_process(trace, process->index);
	if (!trace->of_process[process->index])
		trace->of_process[process->index] = trace_add_file(
			trace, trace_rank_of(trace, process), process->world_size,
			process->file->host ? process->file->host : "");
	return trace->of_process[process->index];
}

/* --- events --- */

struct source_thread *trace_thread(const struct trace *trace, uint32_t index)
{
	struct source_thread *const *thread;
	size_t count = source_threads(trace->source, &thread);

	return index < count ? thread[index] : NULL;
}

static struct trace_file *place_event(struct trace *trace, const struct source_thread *thread,
				      struct trace_event *event)
{
	event->pid = trace_pid(trace, thread->process);
	event->tid = thread->tid;
	return trace_file_of(trace, thread->process);
}

void trace_put_slice(struct trace *trace, const struct source_thread *thread,
		     struct trace_slice slice)
{
	struct trace_file *file = place_event(trace, thread, &slice.event);

	if (file)
		trace->writer->slice(file->state, &slice);
}

void trace_put_moment(struct trace *trace, const struct source_thread *thread,
		      struct trace_event event)
{
	struct trace_file *file = place_event(trace, thread, &event);

	if (file && trace->writer->moment)
		trace->writer->moment(file->state, &event);
}

static struct trace_argument *add(struct trace_list *list, enum trace_argument_id id,
				  enum trace_type type)
{
	struct trace_argument *argument = &list->argument[list->count++];

	argument->id = id;
	argument->type = type;
	argument->name = trace_argument_names[id];
	return argument;
}

void trace_add_number(struct trace_list *list, enum trace_argument_id id, uint64_t number)
{
	add(list, id, TRACE_NUMBER)->number = number;
}

void trace_add_signed(struct trace_list *list, enum trace_argument_id id, int64_t number)
{
	add(list, id, TRACE_SIGNED)->number = (uint64_t)number;
}

void trace_add_text(struct trace_list *list, enum trace_argument_id id, struct trace_text text)
{
	add(list, id, TRACE_STRING)->text = text;
}

void trace_add_size(struct trace_list *list, enum trace_argument_id id, const uint32_t size[3])
{
	add(list, id, TRACE_DIMENSIONS)->size = size;
}

/* --- the analysis --- */

static uint64_t base_real_ns(struct source *source)
{
	struct source_file *const *file;
	size_t count = source_files(source, &file);

	for (size_t i = 0; i < count; i++)
		if (file[i]->start_real_ns)
			return file[i]->start_real_ns - (uint64_t)file[i]->offset_ns;
	return 0;
}

static void trace_start(void *state, struct run *run, const void *options)
{
	struct trace *trace = state;
	struct source_file *const *file;

	trace->options = *(const struct trace_options *)options;
	trace->writer = trace->options.writer;
	trace->texts.whole_kernel_names = trace->options.whole_kernel_names;
	trace->source = trace->texts.source = run_source(run);
	trace->run = run;
	trace->filters = run_filters(run);
	trace->head = (struct trace_head){
		.host = source_files(trace->source, &file) && file[0]->host ? file[0]->host : "",
		.version = INTERCEPT_VERSION,
		.base_real_ns = base_real_ns(trace->source),
	};
	trace_scopes_start(trace, run);
	trace_gc_start(trace, run);
	trace_requests_start(trace, run);
	trace_states_start(trace, run);
	trace_moments_start(trace, run);
	trace_waits_start(trace, run);
	trace_samples_start(trace, run);
	trace_device_start(trace, run);
}

static void trace_cut(void *state, const struct cut *cut)
{
	if (cut->thread) {
		trace_scopes_cut(state, cut);
		trace_gc_cut(state, cut);
		return;
	}
	trace_scopes_cut_process(state, cut);
	trace_moments_cut_process(state, cut);
}

static void trace_finish(void *state)
{
	trace_moments_finish(state);
	trace_device_put_unfinished(state);
}

static void release_of_trace(void *state)
{
	struct trace *trace = state;

	trace_scopes_release(trace);
	trace_gc_release(trace);
	trace_moments_release(trace);
	trace_device_release(trace);
	while (trace->files) {
		struct trace_file *file = trace->files;

		trace->files = file->next;
		free(file);
	}
	free(trace->of_process);
	free(trace->pid_shown);
	free(trace->has_steps);
	trace_texts_release(&trace->texts);
}

const struct analysis_kind analysis_trace = {
	.name = "trace",
	.state_bytes = sizeof(struct trace),
	.options_bytes = sizeof(struct trace_options),
	.start = trace_start,
	.cut = trace_cut,
	.finish = trace_finish,
	.release = release_of_trace,
};

/* --- the whole --- */

static void name_process(struct trace *trace, const struct source_process *process)
{
	void *state = trace->of_process[process->index]->state;
	const struct trace_writer *writer = trace->writer;
	uint64_t pid = trace_pid(trace, process);

	if (writer->process)
		writer->process(state, process, pid);
	for (const struct source_thread *thread = process->first_thread; thread && writer->thread;
	     thread = thread->next)
		writer->thread(state, thread, pid);
}

static bool trace_is_asked(struct trace *trace, const struct source_process *process)
{
	const struct filter_settings *asked = &trace->filters->settings;
	uint64_t rank = trace_rank_of(trace, process);

	if (asked->pid != FILTER_NO_ID && asked->pid != process->pid)
		return false;
	return !asked->has_rank || (rank >= asked->rank_from && rank <= asked->rank_to);
}

/* Also for processes without events. */
static void add_all_files(struct trace *trace)
{
	struct source_process *const *process;
	size_t count = source_processes(trace->source, &process);

	for (size_t i = 0; i < count; i++)
		if (trace_is_asked(trace, process[i]))
			trace_file_of(trace, process[i]);
}

static int close_files(struct trace *trace)
{
	struct source_process *const *process;
	size_t count = source_processes(trace->source, &process);
	int status = trace->failed ? STATUS_INPUT : STATUS_OK;

	for (size_t i = 0; i < count; i++)
		if (process[i]->index < trace->process_room && trace->of_process[process[i]->index])
			name_process(trace, process[i]);
	trace_device_finish(trace);
	for (struct trace_file *file = trace->files; file; file = file->next)
		if (trace->writer->close(file, trace->options.request))
			status = STATUS_INPUT;
	return status;
}

int trace_write(const struct trace_options *options)
{
	struct report_request *request = options->request;
	struct run *run = run_new(request->source, &request->scope);
	struct trace *trace;
	int status;

	run_set_options(run, request->options);
	trace = trace_want(run, options);
	if (!options->by_rank)
		trace_add_file(trace, UINT64_MAX, 0, trace->head.host);
	if (!trace->failed)
		request_read(request, run);
	if (options->writer->splits_hosts)
		add_all_files(trace);
	if (options->by_rank && !trace->files)
		trace_add_file(trace, UINT64_MAX, 0, trace->head.host);
	status = close_files(trace);
	run_free(run);
	return status;
}
