/* SPDX-License-Identifier: MIT */
/*
 * `export chrome`: a trace in the JSON that torch.profiler writes (Kineto's schema). In the file
 * times are us, and baseTimeNanoseconds is the real time of 0. Slices on a line must nest there. A
 * slice that crosses others, such as a range of a process, is a pair of events with a number of its
 * own.
 */
#include "report/export/exporter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/base/memory.h"
#include "report/base/talk.h"
#include "report/export/sink.h"
#include "report/trace/trace.h"

#define SCHEMA_VERSION 1
#define PIECE_MAX 4096u /* room for an event's head besides its name */
#define ENDING ".pt.trace.json.gz"
#define DEVICE_SORT_INDEX 5000000u /* below the threads, as in Kineto */

struct chrome_text {
	const char *json;
	size_t length;
};

struct chrome {
	struct sink sink;
	char *path; /* owned; NULL: stdout */
	bool is_of_rank;
	uint64_t events; /* without metadata */
	bool has_events, has_arguments;
	bool has_slices;
	struct chrome_text *text; /* escaped, by number */
	size_t text_room;
	struct text_store texts;

	const struct source_process *lives; /* the first process of the file; NULL: none */
	uint64_t lives_pid;
};

/* --- values --- */

static void chrome_put_text(struct chrome *chrome, const struct trace_text *text)
{
	struct chrome_text *known;

	if (!text->number) {
		sink_json(&chrome->sink, text->text, text->length);
		return;
	}
	chrome->text = memory_room(chrome->text, text->number, &chrome->text_room,
				   sizeof(*chrome->text));
	known = &chrome->text[text->number];
	if (!known->json && text->is_list)
		*known = (struct chrome_text){ text->text, text->length };
	else if (!known->json)
		known->json = sink_json_text(&chrome->texts, text->text, text->length,
					     &known->length);
	sink_put(&chrome->sink, known->json, known->length);
}

static void chrome_put_word(struct chrome *chrome, const char *word)
{
	chrome_put_text(chrome, &(struct trace_text){ .text = word, .length = strlen(word) });
}

static void chrome_put_key(struct sink *sink, const char *key)
{
	sink_put(sink, ", \"", 3);
	sink_text(sink, key);
	sink_put(sink, "\": ", 3);
}

static void put_argument_key(struct chrome *chrome, const char *name)
{
	sink_text(&chrome->sink, chrome->has_arguments ? ", \"" : ", \"args\": {\"");
	sink_text(&chrome->sink, name);
	sink_put(&chrome->sink, "\": ", 3);
	chrome->has_arguments = true;
}

static void chrome_put_arguments(struct chrome *chrome, const struct trace_event *event)
{
	struct sink *sink = &chrome->sink;
	char size[TRACE_DIMENSIONS_BYTES];
	struct trace_text text;

	for (size_t i = 0; i < event->arguments; i++) {
		const struct trace_argument *argument = &event->argument[i];

		put_argument_key(chrome, argument->name);
		switch (argument->type) {
		case TRACE_NUMBER:
			sink_unsigned(sink, argument->number);
			break;
		case TRACE_SIGNED:
			sink_signed(sink, (int64_t)argument->number);
			break;
		case TRACE_STRING:
			chrome_put_text(chrome, &argument->text);
			break;
		case TRACE_DIMENSIONS:
			text = trace_dimensions_text(size, argument->size);
			sink_put(sink, text.text, text.length);
			break;
		}
	}
}

/* --- events --- */

static void event_begin(struct chrome *chrome, char phase, const struct trace_event *event)
{
	struct sink *sink = &chrome->sink;

	if (SINK_BYTES - sink->used < PIECE_MAX)
		sink_flush(sink);
	sink_text(sink, chrome->has_events ? ",\n{\"ph\": \"" : "\n{\"ph\": \"");
	sink_put(sink, &phase, 1);
	sink_text(sink, "\", \"cat\": \"");
	sink_text(sink, trace_words[event->category]);
	sink_text(sink, "\", \"name\": ");
	chrome_put_text(chrome, &event->name);
	chrome_put_key(sink, "pid");
	sink_unsigned(sink, event->pid);
	chrome_put_key(sink, "tid");
	sink_unsigned(sink, event->tid);
	chrome_put_key(sink, "ts");
	sink_micros(sink, event->time_ns);
	chrome->has_events = true;
	chrome->has_arguments = false;
	chrome->events++;
}

static void put_id(struct chrome *chrome, uint64_t id)
{
	chrome_put_key(&chrome->sink, "id");
	sink_unsigned(&chrome->sink, id);
}

static void event_end(struct chrome *chrome)
{
	if (chrome->has_arguments)
		sink_put(&chrome->sink, "}}", 2);
	else
		sink_put(&chrome->sink, "}", 1);
}

static void chrome_take_flow(void *state, const struct trace_flow *flow)
{
	struct chrome *chrome = state;
	const char *word = trace_words[flow->category];
	struct trace_event event = { .category = flow->category,
				     .name = { .text = word, .length = strlen(word) },
				     .pid = flow->pid,
				     .tid = flow->tid,
				     .time_ns = flow->time_ns };

	event_begin(chrome, 's', &event);
	put_id(chrome, flow->id);
	event_end(chrome);
	event.pid = flow->to_pid;
	event.tid = flow->to_tid;
	event.time_ns = flow->to_ns;
	event_begin(chrome, 'f', &event);
	put_id(chrome, flow->id);
	sink_text(&chrome->sink, ", \"bp\": \"e\"");
	event_end(chrome);
}

static void put_slice(struct chrome *chrome, char phase, const struct trace_slice *slice)
{
	event_begin(chrome, phase, &slice->event);
	if (phase == 'X') {
		chrome_put_key(&chrome->sink, "dur");
		sink_micros(&chrome->sink, slice->duration_ns);
		chrome->has_slices = true;
	} else if (slice->id) {
		put_id(chrome, slice->id);
	}
	chrome_put_arguments(chrome, &slice->event);
	if (slice->is_cut) {
		put_argument_key(chrome, TRACE_CUT);
		sink_text(&chrome->sink, "true");
	}
	event_end(chrome);
}

/* Writes both ends at once, because viewers sort them. */
static void chrome_put_range(struct chrome *chrome, const struct trace_slice *slice)
{
	struct trace_slice end = { .event = slice->event, .id = slice->id };

	put_slice(chrome, 'b', slice);
	if (slice->runs_on)
		return;
	end.event.time_ns = trace_end_ns(slice);
	end.event.arguments = 0;
	put_slice(chrome, 'e', &end);
	chrome->events--;
}

static void chrome_take_slice(void *state, const struct trace_slice *slice)
{
	struct chrome *chrome = state;

	if (slice->id)
		chrome_put_range(chrome, slice);
	else
		put_slice(chrome, slice->runs_on ? 'B' : 'X', slice);
	if (slice->flow)
		chrome_take_flow(chrome, slice->flow);
}

static void chrome_take_moment(void *state, const struct trace_event *event)
{
	struct chrome *chrome = state;

	event_begin(chrome, 'i', event);
	sink_text(&chrome->sink, ", \"s\": \"t\"");
	chrome_put_arguments(chrome, event);
	event_end(chrome);
}

static void chrome_take_counter(void *state, const struct trace_event *event, uint64_t bytes)
{
	struct chrome *chrome = state;

	event_begin(chrome, 'C', event);
	put_argument_key(chrome, trace_argument_names[TRACE_OF_BYTES]);
	sink_unsigned(&chrome->sink, bytes);
	event_end(chrome);
}

#define GAUGE_BYTES 96

/* Counters of a process are told apart by their names. */
static void chrome_take_gauge(void *state, const struct trace_event *event, uint64_t value)
{
	struct chrome *chrome = state;
	struct trace_event shown = *event;
	char name[GAUGE_BYTES];

	shown.name = (struct trace_text){ .text = name };
	shown.name.length = (size_t)snprintf(name, sizeof(name), "%.60s, card %u", event->name.text,
					     (unsigned int)event->tid);
	shown.tid = event->pid;
	event_begin(chrome, 'C', &shown);
	put_argument_key(chrome, "value");
	sink_unsigned(&chrome->sink, value);
	event_end(chrome);
}

/* --- metadata --- */

/* `value` is a text; if it is NULL, the number is used. tid 0: for the process. */
static void put_metadata(struct chrome *chrome, const char *what, uint64_t pid, uint64_t tid,
			 const struct trace_text *value, uint64_t number)
{
	struct sink *sink = &chrome->sink;

	sink_print(sink,
		   "%s\n{\"ph\": \"M\", \"name\": \"%s\", \"pid\": %llu, \"tid\": %llu, "
		   "\"ts\": 0.000, \"args\": {\"%s\": ",
		   chrome->has_events ? "," : "", what, (unsigned long long)pid,
		   (unsigned long long)tid, value ? strchr(what, '_') + 1 : "sort_index");
	if (value)
		chrome_put_text(chrome, value);
	else
		sink_unsigned(sink, number);
	sink_text(sink, "}}");
	chrome->has_events = true;
}

static void chrome_take_process(void *state, const struct source_process *process, uint64_t pid)
{
	struct chrome *chrome = state;
	struct trace_text text = { .number = 0 };

	text.text = name_text(process->command, &text.length);
	put_metadata(chrome, "process_name", pid, 0, &text, 0);
	put_metadata(chrome, "process_labels", pid, 0, &TRACE_TEXT("CPU"), 0);
	put_metadata(chrome, "process_sort_index", pid, 0, NULL, pid);
	if (chrome->lives || !process->first_thread || process->end_ns < process->start_ns)
		return;
	chrome->lives = process;
	chrome->lives_pid = pid;
}

static void chrome_take_thread(void *state, const struct source_thread *thread, uint64_t pid)
{
	struct chrome *chrome = state;
	struct trace_text text = { .number = 0 };

	thread_name(thread, &text.text, &text.length);
	put_metadata(chrome, "thread_name", pid, thread->tid, &text, 0);
	put_metadata(chrome, "thread_sort_index", pid, thread->tid, NULL, thread->tid);
}

static void take_stream(void *state, uint32_t device, uint32_t stream)
{
	struct chrome *chrome = state;
	char name[32];
	struct trace_text text = { .text = name };

	text.length = (size_t)snprintf(name, sizeof(name), "GPU %u", device);
	put_metadata(chrome, "process_name", device, 0, &text, 0);
	put_metadata(chrome, "process_labels", device, 0, &text, 0);
	put_metadata(chrome, "process_sort_index", device, 0, NULL, DEVICE_SORT_INDEX + device);
	text.length = (size_t)snprintf(name, sizeof(name), "stream %u", stream);
	put_metadata(chrome, "thread_name", device, stream, &text, 0);
	put_metadata(chrome, "thread_sort_index", device, stream, NULL, stream);
}

/* --- the file --- */

static void put_member(struct chrome *chrome, const char *name, const char *text)
{
	sink_print(&chrome->sink, "  \"%s\": ", name);
	chrome_put_word(chrome, text);
	sink_text(&chrome->sink, ",\n");
}

/*
 * The rank is in the first lines, each on its own, because HolisticTraceAnalysis looks for it line
 * by line, and takes a file without it for rank 0.
 */
static void chrome_put_head(struct chrome *chrome, const struct trace_file *file,
			    const struct trace_head *head)
{
	struct sink *sink = &chrome->sink;

	sink_print(sink, "{\n  \"schemaVersion\": %d,\n  \"deviceProperties\": [\n  ],\n",
		   SCHEMA_VERSION);
	if (file->rank != UINT64_MAX)
		sink_print(sink, "  \"distributedInfo\": {\"rank\": %llu, \"world_size\": %llu},\n",
			   (unsigned long long)file->rank, (unsigned long long)file->world_size);
	put_member(chrome, "host_name", head->host);
	put_member(chrome, "intercept_version", head->version);
	sink_print(sink,
		   "  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": %llu,\n"
		   "  \"traceEvents\": [",
		   (unsigned long long)head->base_real_ns);
}

static void chrome_put_losses(struct chrome *chrome, struct source *source)
{
	struct sink *sink = &chrome->sink;
	const struct source_loss *loss;
	size_t count = source_losses(source, &loss);
	const char *before = "";

	sink_text(sink, "  \"intercept_losses\": [");
	for (size_t i = 0; i < count; i++) {
		sink_print(sink,
			   "%s\n    {\"pid\": %llu, \"count\": %llu, \"from_ns\": %llu, "
			   "\"to_ns\": %llu, \"reason\": ",
			   before, (unsigned long long)(loss[i].process ? loss[i].process->pid : 0),
			   (unsigned long long)loss[i].count, (unsigned long long)loss[i].from_ns,
			   (unsigned long long)loss[i].to_ns);
		chrome_put_word(chrome, source_loss_text(&loss[i]));
		sink_text(sink, "}");
		before = ",";
	}
	sink_text(sink, "],\n");
}

static void chrome_put_faults(struct chrome *chrome, struct source *source)
{
	const struct source_fault *fault;
	size_t count = source_faults(source, &fault);
	const char *before = "";

	sink_text(&chrome->sink, "  \"intercept_faults\": [");
	for (size_t i = 0; i < count; i++) {
		sink_print(&chrome->sink, "%s\n    ", before);
		chrome_put_word(chrome, fault[i].text);
		before = ",";
	}
	sink_text(&chrome->sink, "],\n");
}

/*
 * HTA requires a duration in each file. If nothing else has one (torchrun's own process), it is how
 * long its process lived.
 */
static void put_life(struct chrome *chrome)
{
	const struct source_process *process = chrome->lives;

	if (process && chrome->is_of_rank && !chrome->has_slices)
		chrome_take_slice(chrome,
				  &(struct trace_slice){
					  .event = { .category = TRACE_PROCESS,
						     .name = TRACE_TEXT("process"),
						     .pid = chrome->lives_pid,
						     .tid = process->first_thread->tid,
						     .time_ns = process->start_ns },
					  .duration_ns = process->end_ns - process->start_ns });
}

static bool is_folder(const char *path)
{
	struct stat status;

	return path && !stat(path, &status) && S_ISDIR(status.st_mode);
}

/* NULL: stdout. */
static char *name_file(const char *output, uint64_t rank)
{
	size_t room = (output ? strlen(output) : 0) + 64;
	char *path;

	if (!output)
		return NULL;
	path = memory_grow(NULL, room, 1);
	if (!is_folder(output))
		snprintf(path, room, "%s", output);
	else if (rank == UINT64_MAX)
		snprintf(path, room, "%s%snorank" ENDING, output,
			 output[strlen(output) - 1] == '/' ? "" : "/");
	else
		snprintf(path, room, "%s%srank-%llu" ENDING, output,
			 output[strlen(output) - 1] == '/' ? "" : "/", (unsigned long long)rank);
	return path;
}

static void chrome_free(struct chrome *chrome)
{
	free(chrome->path);
	free(chrome->text);
	text_store_release(&chrome->texts);
	free(chrome);
}

static int chrome_take_open(struct trace_file *file, struct report_request *request,
			    const struct trace_head *head)
{
	struct chrome *chrome = memory_zero(1, sizeof(*chrome));

	chrome->path = name_file(request->options->output, file->rank);
	chrome->is_of_rank = is_folder(request->options->output);
	if (sink_open(&chrome->sink, request, chrome->path, false)) {
		chrome_free(chrome);
		return -1;
	}
	file->state = chrome;
	chrome_put_head(chrome, file, head);
	return 0;
}

static int chrome_take_close(struct trace_file *file, struct report_request *request)
{
	struct chrome *chrome = file->state;
	int result;

	put_life(chrome);
	sink_text(&chrome->sink, "\n  ],\n");
	chrome_put_losses(chrome, request->source);
	chrome_put_faults(chrome, request->source);
	sink_text(&chrome->sink, "  \"traceName\": ");
	chrome_put_word(chrome, chrome->path ? chrome->path : "stdout");
	sink_text(&chrome->sink, "\n}\n");
	result = sink_close(&chrome->sink, request);
	if (!result)
		export_say_written(chrome->path, chrome->events, "event", chrome->sink.bytes);
	chrome_free(chrome);
	return result;
}

static const struct trace_writer writer = {
	.nests_only = true,
	.open = chrome_take_open,
	.close = chrome_take_close,
	.slice = chrome_take_slice,
	.moment = chrome_take_moment,
	.counter = chrome_take_counter,
	.gauge = chrome_take_gauge,
	.flow = chrome_take_flow,
	.process = chrome_take_process,
	.thread = chrome_take_thread,
	.stream = take_stream,
};

static bool has_several_ranks(struct source *source)
{
	struct source_process *const *process;
	size_t count = source_processes(source, &process);
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < count; i++) {
		uint64_t rank = source_rank(source, process[i]);

		if (rank != UINT64_MAX && first != UINT64_MAX && rank != first)
			return true;
		first = rank != UINT64_MAX ? rank : first;
	}
	return false;
}

int export_chrome(struct report_request *request)
{
	bool by_rank = is_folder(request->options->output);
	int status = trace_write(&(struct trace_options){ .whole_kernel_names = true,
							  .request = request,
							  .writer = &writer,
							  .by_rank = by_rank });

	if (!by_rank && has_several_ranks(request->source))
		talk_print("several ranks are in one file; -o FOLDER/ writes a file for each");
	return status;
}
