/* SPDX-License-Identifier: MIT */
/* `export chrome`: a trace as torch.profiler writes it. Which file and which numbers events get: see chrome.h. */
#include "report/export/chrome.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "report/base/memory.h"
#include "report/base/talk.h"
#include "report/export/exporter.h"

#ifndef INTERCEPT_VERSION
#define INTERCEPT_VERSION "unknown"
#endif

#define PIDS (1u << 22) /* the kernel's are below */
#define ENDING ".pt.trace.json.gz"

static void room_for_process(struct chrome *chrome, uint32_t index)
{
	size_t before = chrome->process_room, room = before;

	if (index < before)
		return;
	chrome->of_process = memory_room(chrome->of_process, index, &room,
					 sizeof(*chrome->of_process));
	room = before;
	chrome->pid_shown = memory_room(chrome->pid_shown, index, &room,
					sizeof(*chrome->pid_shown));
	room = before;
	chrome->has_steps = memory_room(chrome->has_steps, index, &room,
					sizeof(*chrome->has_steps));
	chrome->process_room = room;
}

uint64_t chrome_pid(struct chrome *chrome, const struct source_process *process)
{
	struct source_process *const *other;
	size_t count = source_processes(chrome->source, &other);
	uint64_t same = 0;

	room_for_process(chrome, process->index);
	if (chrome->pid_shown[process->index])
		return chrome->pid_shown[process->index];
	for (size_t i = 0; i < count && i < process->index; i++)
		same += other[i]->pid == process->pid;
	chrome->pid_shown[process->index] = process->pid + same * PIDS;
	return chrome->pid_shown[process->index];
}

/* A worker's is that of the process that started it. */
static uint64_t rank_of(struct chrome *chrome, const struct source_process *process)
{
	uint64_t rank = UINT64_MAX;

	for (unsigned int depth = 0; process && rank == UINT64_MAX && depth < 64; depth++) {
		rank = source_rank(chrome->source, process);
		process = process->parent;
	}
	return rank;
}

static char *name_file(const struct chrome *chrome, uint64_t rank)
{
	const char *folder = chrome->request->options->output;
	size_t room = (folder ? strlen(folder) : 0) + 64;
	char *path;

	if (!folder)
		return NULL;
	path = memory_grow(NULL, room, 1);
	if (!chrome->is_folder)
		snprintf(path, room, "%s", folder);
	else if (rank == UINT64_MAX)
		snprintf(path, room, "%s%snorank" ENDING, folder,
			 folder[strlen(folder) - 1] == '/' ? "" : "/");
	else
		snprintf(path, room, "%s%srank-%llu" ENDING, folder,
			 folder[strlen(folder) - 1] == '/' ? "" : "/", (unsigned long long)rank);
	return path;
}

static bool is_file_of(const struct chrome *chrome, const struct trace_file *file, uint64_t rank,
		       const char *host)
{
	if (!chrome->is_folder)
		return true;
	return file->rank == rank &&
	       (!chrome->writer || !chrome->writer->splits || !strcmp(file->host, host));
}

static struct trace_file *add_file(struct chrome *chrome, uint64_t rank, uint64_t world_size,
				   const char *host)
{
	struct trace_file *file, **last = &chrome->files;

	for (file = chrome->files; file; file = file->next) {
		if (is_file_of(chrome, file, rank, host))
			return file;
		last = &file->next;
	}
	if (chrome->failed)
		return NULL;
	file = memory_zero(1, sizeof(*file));
	file->writer = chrome->writer;
	file->rank = rank;
	file->world_size = world_size;
	file->host = host;
	file->writer_state = chrome->context;
	if (file->writer && !file->writer->open) {
		*last = file;
		return file;
	}
	file->path = name_file(chrome, rank);
	if (!trace_open(file, chrome->request, &chrome->head)) {
		*last = file;
		return file;
	}
	chrome->failed = true;
	free(file->path);
	free(file);
	return NULL;
}

struct trace_file *chrome_file(struct chrome *chrome, const struct source_process *process)
{
	room_for_process(chrome, process->index);
	if (!chrome->of_process[process->index])
		chrome->of_process[process->index] = add_file(
			chrome, rank_of(chrome, process), process->world_size,
			process->file->host ? process->file->host : "");
	return chrome->of_process[process->index];
}

struct source_thread *chrome_thread(const struct chrome *chrome, uint32_t index)
{
	struct source_thread *const *thread;
	size_t count = source_threads(chrome->source, &thread);

	return index < count ? thread[index] : NULL;
}

/* Each name is escaped once, but for one whose text is still to come. */
struct trace_text chrome_json(struct chrome *chrome, uint32_t name)
{
	const struct source_name *known = source_name_at(chrome->source, name);
	struct trace_text json;
	size_t length;
	const char *text = name_text(known, &length);

	if (name < chrome->json_room && chrome->json[name].text)
		return chrome->json[name];
	json.text = sink_json_text(&chrome->texts, text, length, &json.length);
	if (name >= chrome->json_room)
		chrome->json = memory_room(chrome->json, name, &chrome->json_room,
					   sizeof(*chrome->json));
	if (known->text)
		chrome->json[name] = json;
	return json;
}

struct trace_file *chrome_begin(struct chrome *chrome, const struct source_thread *thread,
				const struct chrome_place *place)
{
	struct trace_file *file = chrome_file(chrome, thread->process);

	if (!file)
		return NULL;
	trace_begin(file, &(struct trace_event){ .phase = place->phase,
						 .category = place->category,
						 .name = place->name,
						 .pid = chrome_pid(chrome, thread->process),
						 .tid = thread->tid,
						 .time_ns = place->time_ns,
						 .duration_ns = place->duration_ns,
						 .id = place->id,
						 .is_counted = place->is_counted,
						 .is_cut = place->is_cut });
	if (place->is_cut)
		trace_argument_json(file, CHROME_CUT, TRACE_TEXT("true"));
	return file;
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

static void start(void *state, struct run *run, const void *options)
{
	const struct chrome_options *asked = options;
	struct chrome *chrome = state;
	struct source_file *const *file;

	chrome->request = asked->request;
	chrome->writer = asked->writer;
	chrome->context = asked->context;
	chrome->source = run_source(run);
	chrome->filters = run_filters(run);
	chrome->head = (struct trace_head){
		.host = source_files(chrome->source, &file) && file[0]->host ? file[0]->host : "",
		.version = INTERCEPT_VERSION,
		.base_real_ns = base_real_ns(chrome->source),
	};
	chrome_scopes_start(chrome, run);
	chrome_moments_start(chrome, run);
	chrome_samples_start(chrome, run);
	chrome_device_start(chrome, run);
}

static void cut(void *state, const struct cut *cut)
{
	if (cut->thread) {
		chrome_scopes_cut(state, cut);
		return;
	}
	chrome_scopes_cut_process(state, cut);
	chrome_moments_cut_process(state, cut);
}

static void finish(void *state)
{
	chrome_moments_finish(state);
	chrome_device_put_unfinished(state);
}

static void release(void *state)
{
	struct chrome *chrome = state;

	chrome_scopes_release(chrome);
	chrome_moments_release(chrome);
	chrome_device_release(chrome);
	while (chrome->files) {
		struct trace_file *file = chrome->files;

		chrome->files = file->next;
		free(file->path);
		free(file);
	}
	free(chrome->of_process);
	free(chrome->pid_shown);
	free(chrome->has_steps);
	free(chrome->json);
	text_store_release(&chrome->texts);
}

const struct analysis_kind analysis_chrome = {
	.name = "chrome",
	.state_bytes = sizeof(struct chrome),
	.options_bytes = sizeof(struct chrome_options),
	.start = start,
	.cut = cut,
	.finish = finish,
	.release = release,
};

/* --- the exporter --- */

static void name_process(struct chrome *chrome, const struct source_process *process)
{
	struct trace_file *file = chrome->of_process[process->index];
	uint64_t pid = chrome_pid(chrome, process);
	const struct source_thread *thread = process->first_thread;
	struct trace_text text;

	if (chrome->writer && chrome->writer->process)
		chrome->writer->process(file, process, pid);
	text.text = name_text(process->command, &text.length);
	trace_metadata(file, "process_name", pid, 0, &text, 0);
	trace_metadata(file, "process_labels", pid, 0, &TRACE_TEXT("CPU"), 0);
	trace_metadata(file, "process_sort_index", pid, 0, NULL, pid);
	for (; thread; thread = thread->next) {
		thread_name(thread, &text.text, &text.length);
		trace_metadata(file, "thread_name", pid, thread->tid, &text, 0);
		trace_metadata(file, "thread_sort_index", pid, thread->tid, NULL, thread->tid);
	}
}

static bool is_asked(struct chrome *chrome, const struct source_process *process)
{
	const struct filter_settings *asked = &chrome->filters->settings;
	uint64_t rank = rank_of(chrome, process);

	if (asked->pid != FILTER_NO_ID && asked->pid != process->pid)
		return false;
	return !asked->has_rank || (rank >= asked->rank_from && rank <= asked->rank_to);
}

/* Of processes, too, that have no event. */
static void add_all_files(struct chrome *chrome)
{
	struct source_process *const *process;
	size_t count = source_processes(chrome->source, &process);

	for (size_t i = 0; i < count; i++)
		if (is_asked(chrome, process[i]))
			chrome_file(chrome, process[i]);
}

/* HTA wants a duration in each file: where nothing else has one (torchrun's own process), how long its processes lived. */
static void put_lives(struct chrome *chrome)
{
	struct source_process *const *process;
	size_t count = source_processes(chrome->source, &process);

	for (size_t i = 0; i < count && chrome->is_folder && !chrome->writer; i++) {
		const struct source_process *of = process[i];
		struct trace_file *file = of->index < chrome->process_room
						  ? chrome->of_process[of->index]
						  : NULL;

		if (!file || file->has_spans || !of->first_thread || of->end_ns < of->start_ns)
			continue;
		file = chrome_begin(
			chrome, of->first_thread,
			&(struct chrome_place){ .phase = 'X',
						.category = "process",
						.name = TRACE_TEXT("\"process\""),
						.time_ns = of->start_ns,
						.duration_ns = of->end_ns - of->start_ns });
		if (file)
			trace_end(file);
	}
}

static int close_files(struct chrome *chrome)
{
	struct source_process *const *process;
	size_t count = source_processes(chrome->source, &process);
	int status = chrome->failed ? STATUS_INPUT : STATUS_OK;

	for (size_t i = 0; i < count; i++)
		if (process[i]->index < chrome->process_room &&
		    chrome->of_process[process[i]->index])
			name_process(chrome, process[i]);
	chrome_device_finish(chrome);
	put_lives(chrome);
	for (struct trace_file *file = chrome->files; file; file = file->next) {
		if (trace_close(file, chrome->request))
			status = STATUS_INPUT;
		else if (!status && !(chrome->writer && chrome->writer->splits))
			export_say_written(file->path, file->events, "event", file->sink.bytes);
	}
	return status;
}

static void say_ranks(const struct chrome *chrome)
{
	struct source_process *const *process;
	size_t count = source_processes(chrome->source, &process);
	uint64_t first = UINT64_MAX;
	bool are_several = false;

	for (size_t i = 0; i < count; i++) {
		uint64_t rank = source_rank(chrome->source, process[i]);

		are_several |= rank != UINT64_MAX && first != UINT64_MAX && rank != first;
		first = rank != UINT64_MAX ? rank : first;
	}
	if (are_several && !chrome->is_folder && !chrome->writer)
		talk_print("several ranks are in one file; -o FOLDER/ writes a file for each");
}

int export_chrome(struct report_request *request)
{
	return chrome_export(request, NULL, NULL);
}

int chrome_export(struct report_request *request, const struct trace_writer *writer, void *context)
{
	struct run *run = run_new(request->source, &request->scope);
	const char *output = request->options->output;
	struct stat folder;
	struct chrome *chrome;
	int status;

	run_set_options(run, request->options);
	chrome = chrome_want(run, &(struct chrome_options){ .request = request,
							    .writer = writer,
							    .context = context });
	chrome->is_folder = writer ? writer->splits
				   : output && !stat(output, &folder) && S_ISDIR(folder.st_mode);
	if (!chrome->is_folder)
		add_file(chrome, UINT64_MAX, 0, chrome->head.host);
	if (!chrome->failed)
		request_read(request, run);
	if (writer && writer->splits)
		add_all_files(chrome);
	if (chrome->is_folder && !chrome->files)
		add_file(chrome, UINT64_MAX, 0, chrome->head.host);
	status = close_files(chrome);
	say_ranks(chrome);
	run_free(run);
	return status;
}
