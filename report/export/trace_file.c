/* SPDX-License-Identifier: MIT */
/* A trace as torch.profiler writes it: see trace_file.h. */
#include "report/export/trace_file.h"

#include <stdio.h>

#define SCHEMA_VERSION 1
#define PIECE_MAX 4096u /* what an event's head needs besides its name */

static void put_member(struct sink *sink, const char *name, const char *text)
{
	sink_print(sink, "  \"%s\": ", name);
	sink_json(sink, text, strlen(text));
	sink_text(sink, ",\n");
}

/*
 * The rank stands in the first lines, each on its own: HolisticTraceAnalysis looks for it line by line, and takes the
 * file for rank 0 where there is none.
 */
static void put_head(struct trace_file *trace, const struct trace_head *head)
{
	struct sink *sink = &trace->sink;

	sink_print(sink, "{\n  \"schemaVersion\": %d,\n  \"deviceProperties\": [\n  ],\n",
		   SCHEMA_VERSION);
	if (trace->rank != UINT64_MAX)
		sink_print(sink, "  \"distributedInfo\": {\"rank\": %llu, \"world_size\": %llu},\n",
			   (unsigned long long)trace->rank, (unsigned long long)trace->world_size);
	put_member(sink, "host_name", head->host);
	put_member(sink, "intercept_version", head->version);
	sink_print(sink,
		   "  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": %llu,\n"
		   "  \"traceEvents\": [",
		   (unsigned long long)head->base_real_ns);
}

int trace_open(struct trace_file *trace, struct report_request *request,
	       const struct trace_head *head)
{
	trace->events = 0;
	trace->has_arguments = trace->has_events = false;
	if (trace->writer)
		return trace->writer->open(trace, request, head);
	if (sink_open(&trace->sink, request, trace->path, false))
		return -1;
	put_head(trace, head);
	return 0;
}

static void put_losses(struct sink *sink, struct source *source)
{
	const struct source_loss *loss;
	size_t count = source_losses(source, &loss);
	const char *before = "";

	sink_text(sink, "  \"intercept_losses\": [");
	for (size_t i = 0; i < count; i++) {
		const char *reason = source_loss_text(&loss[i]);

		sink_print(sink,
			   "%s\n    {\"pid\": %llu, \"count\": %llu, \"from_ns\": %llu, "
			   "\"to_ns\": %llu, \"reason\": ",
			   before, (unsigned long long)(loss[i].process ? loss[i].process->pid : 0),
			   (unsigned long long)loss[i].count, (unsigned long long)loss[i].from_ns,
			   (unsigned long long)loss[i].to_ns);
		sink_json(sink, reason, strlen(reason));
		sink_text(sink, "}");
		before = ",";
	}
	sink_text(sink, "],\n");
}

static void put_faults(struct sink *sink, struct source *source)
{
	const struct source_fault *fault;
	size_t count = source_faults(source, &fault);
	const char *before = "";

	sink_text(sink, "  \"intercept_faults\": [");
	for (size_t i = 0; i < count; i++) {
		sink_print(sink, "%s\n    ", before);
		sink_json(sink, fault[i].text, strlen(fault[i].text));
		before = ",";
	}
	sink_text(sink, "],\n");
}

int trace_close(struct trace_file *trace, struct report_request *request)
{
	struct sink *sink = &trace->sink;
	const char *name = trace->path ? trace->path : "stdout";

	if (trace->writer)
		return trace->writer->close(trace, request);
	sink_text(sink, "\n  ],\n");
	put_losses(sink, request->source);
	put_faults(sink, request->source);
	sink_text(sink, "  \"traceName\": ");
	sink_json(sink, name, strlen(name));
	sink_text(sink, "\n}\n");
	return sink_close(sink, request);
}

static void put_key(struct sink *sink, const char *key)
{
	sink_put(sink, ", \"", 3);
	sink_text(sink, key);
	sink_put(sink, "\": ", 3);
}

void trace_begin(struct trace_file *trace, const struct trace_event *event)
{
	struct sink *sink = &trace->sink;

	trace->has_spans |= event->phase == 'X';
	if (trace->writer) {
		trace->events++;
		trace->writer->begin(trace, event);
		return;
	}
	if (SINK_BYTES - sink->used < PIECE_MAX)
		sink_flush(sink);
	sink_text(sink, trace->has_events ? ",\n{\"ph\": \"" : "\n{\"ph\": \"");
	sink_put(sink, &event->phase, 1);
	sink_text(sink, "\", \"cat\": \"");
	sink_text(sink, event->category);
	sink_text(sink, "\", \"name\": ");
	sink_put(sink, event->name.text, event->name.length);
	put_key(sink, "pid");
	sink_unsigned(sink, event->pid);
	put_key(sink, "tid");
	sink_unsigned(sink, event->tid);
	put_key(sink, "ts");
	sink_micros(sink, event->time_ns);
	if (event->phase == 'X') {
		put_key(sink, "dur");
		sink_micros(sink, event->duration_ns);
	} else if (event->phase == 'i') {
		sink_text(sink, ", \"s\": \"t\"");
	} else if (strchr("besf", event->phase)) {
		put_key(sink, "id");
		sink_unsigned(sink, event->id);
		if (event->phase == 'f')
			sink_text(sink, ", \"bp\": \"e\"");
	}
	trace->has_events = true;
	trace->has_arguments = false;
	trace->events++;
}

static void put_argument(struct trace_file *trace, const char *name)
{
	struct sink *sink = &trace->sink;

	sink_text(sink, trace->has_arguments ? ", \"" : ", \"args\": {\"");
	sink_text(sink, name);
	sink_put(sink, "\": ", 3);
	trace->has_arguments = true;
}

void trace_argument_number(struct trace_file *trace, const char *name, uint64_t value)
{
	if (trace->writer) {
		if (trace->writer->number)
			trace->writer->number(trace, name, value);
		return;
	}
	put_argument(trace, name);
	sink_unsigned(&trace->sink, value);
}

void trace_argument_signed(struct trace_file *trace, const char *name, int64_t value)
{
	if (trace->writer) {
		if (trace->writer->number)
			trace->writer->number(trace, name, (uint64_t)value);
		return;
	}
	put_argument(trace, name);
	sink_signed(&trace->sink, value);
}

void trace_argument_json(struct trace_file *trace, const char *name, struct trace_text value)
{
	if (trace->writer) {
		if (trace->writer->text)
			trace->writer->text(trace, name, value);
		return;
	}
	put_argument(trace, name);
	sink_put(&trace->sink, value.text, value.length);
}

void trace_argument_text(struct trace_file *trace, const char *name, struct trace_text value)
{
	if (trace->writer) {
		if (trace->writer->text)
			trace->writer->text(trace, name, value);
		return;
	}
	put_argument(trace, name);
	sink_json(&trace->sink, value.text, value.length);
}

void trace_end(struct trace_file *trace)
{
	if (trace->writer) {
		if (trace->writer->end)
			trace->writer->end(trace);
		return;
	}
	if (trace->has_arguments)
		sink_put(&trace->sink, "}}", 2);
	else
		sink_put(&trace->sink, "}", 1);
}

void trace_metadata(struct trace_file *trace, const char *what, uint64_t pid, uint64_t tid,
		    const struct trace_text *value, uint64_t number)
{
	struct sink *sink = &trace->sink;

	if (trace->writer) {
		if (trace->writer->metadata)
			trace->writer->metadata(trace, what, pid, tid, value);
		return;
	}
	sink_print(sink,
		   "%s\n{\"ph\": \"M\", \"name\": \"%s\", \"pid\": %llu, \"tid\": %llu, "
		   "\"ts\": 0.000, \"args\": {\"%s\": ",
		   trace->has_events ? "," : "", what, (unsigned long long)pid,
		   (unsigned long long)tid,
		   strstr(what, "sort_index") ? "sort_index"
		   : strstr(what, "labels")   ? "labels"
					      : "name");
	if (value)
		sink_json(sink, value->text, value->length);
	else
		sink_unsigned(sink, number);
	sink_text(sink, "}}");
	trace->has_events = true;
}
