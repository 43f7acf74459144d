/* SPDX-License-Identifier: MIT */
/*
 * `export perfetto`: the events of `export chrome` as Perfetto's protobuf, a packet after the other. What a packet is made
 * of is perfetto_trace.c; here stands on which track each event is.
 *
 * A thread's line is its track in Perfetto; what crosses another span there is on a track of its own below it (lanes.h).
 * Work of a GPU is below the process that it was done for.
 */
#include "report/export/chrome.h"
#include "report/export/exporter.h"
#include "report/export/perfetto_trace.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/base/memory.h"

#define CORRELATION_MAX UINT32_MAX /* larger ones are of calls that CUPTI did not number */
#define FLOW_OF_BACKWARD (1ull << 63)
#define PID_SHIFT 32

struct perfetto {
	struct perfetto_trace out;
	struct trace_event event; /* under way */
	struct perfetto_event packet;
	bool holds;                /* a kernel: the ends of its arrow come behind it */
	struct trace_event opened; /* a range of a process whose end comes next; phase 0: none */
};

static bool is_of_device(const struct trace_event *event)
{
	return event->owner != 0;
}

static uint32_t process_track(struct perfetto *perfetto, uint64_t pid)
{
	return perfetto_track(&perfetto->out,
			      &(struct perfetto_place){ .kind = PERFETTO_PROCESS, .pid = pid });
}

static uint32_t thread_track(struct perfetto *perfetto, uint64_t pid, uint64_t tid)
{
	return perfetto_track(&perfetto->out,
			      &(struct perfetto_place){ .kind = PERFETTO_THREAD,
							.pid = pid,
							.tid = tid,
							.parent = process_track(perfetto, pid) });
}

static uint32_t stream_track(struct perfetto *perfetto, const struct trace_event *event)
{
	char device[32], stream[32];
	uint32_t parent;

	snprintf(device, sizeof(device), "GPU %llu", (unsigned long long)event->pid);
	snprintf(stream, sizeof(stream), "stream %llu", (unsigned long long)event->tid);
	parent = perfetto_track(
		&perfetto->out,
		&(struct perfetto_place){ .kind = PERFETTO_LINE,
					  .name = device,
					  .parent = process_track(perfetto, event->owner) });
	return perfetto_track(&perfetto->out, &(struct perfetto_place){ .kind = PERFETTO_LINE,
									.name = stream,
									.parent = parent });
}

static uint32_t line_below(struct perfetto *perfetto, uint32_t parent, const char *name)
{
	return perfetto_track(
		&perfetto->out,
		&(struct perfetto_place){ .kind = PERFETTO_LINE, .name = name, .parent = parent });
}

static uint32_t counter_track(struct perfetto *perfetto, const struct trace_event *event)
{
	char name[64];
	struct trace_text plain = event->name;

	snprintf(name, sizeof(name), "%.*s", plain.length > 2 ? (int)plain.length - 2 : 0,
		 plain.text + 1);
	return perfetto_track(
		&perfetto->out,
		&(struct perfetto_place){ .kind = PERFETTO_COUNTER,
					  .name = name,
					  .parent = process_track(perfetto, event->pid) });
}

/* Where the event stands, before it is known on which lane. */
static uint32_t track_of(struct perfetto *perfetto, const struct trace_event *event)
{
	uint32_t thread;

	if (is_of_device(event))
		return stream_track(perfetto, event);
	if (event->phase == 'C')
		return counter_track(perfetto, event);
	if (event->phase == 'b')
		return line_below(perfetto, process_track(perfetto, event->pid),
				  "ranges of the process");
	thread = thread_track(perfetto, event->pid, event->tid);
	if (event->is_counted)
		return line_below(perfetto, thread, "steps");
	if (!strcmp(event->category, "cpu_instant_event"))
		return line_below(perfetto, thread, "memory of tensors");
	if (!strcmp(event->category, CHROME_STACKS))
		return line_below(perfetto, thread, "Python's stack");
	if (!strcmp(event->category, "cuda_sync"))
		return line_below(perfetto, thread, "waits for the GPU");
	return thread;
}

/* --- a packet --- */

static void flush(struct perfetto *perfetto)
{
	if (perfetto->holds)
		perfetto_event_end(&perfetto->out, &perfetto->packet);
	perfetto->holds = false;
}

static void put_opened(struct perfetto *perfetto, uint64_t end_ns)
{
	struct trace_event *opened = &perfetto->opened;
	struct perfetto_event packet = { .start_ns = opened->time_ns, .end_ns = end_ns };

	if (!opened->phase)
		return;
	packet.track = perfetto_lane(&perfetto->out, track_of(perfetto, opened), opened->time_ns,
				     end_ns);
	perfetto_event_begin(&perfetto->out, &packet, PERFETTO_SPAN, opened->category,
			     opened->name);
	perfetto_event_end(&perfetto->out, &packet);
	opened->phase = 0;
}

/* Both ends come one behind the other; their name is one that stays. */
static void take_opened(struct perfetto *perfetto, const struct trace_event *event)
{
	if (event->phase == 'e' && perfetto->opened.phase && perfetto->opened.id == event->id) {
		put_opened(perfetto, event->time_ns);
		return;
	}
	put_opened(perfetto, PERFETTO_NO_END);
	if (event->phase == 'b')
		perfetto->opened = *event;
}

static uint64_t flow_of_call(uint64_t pid, uint64_t correlation)
{
	return pid << PID_SHIFT | correlation;
}

/* The arrow from a call to its work ends at the work, which was put last. */
static void take_arrow(struct perfetto *perfetto, const struct trace_event *event)
{
	struct perfetto_event *packet = &perfetto->packet;
	bool begins = event->phase == 's';

	if (!strcmp(event->category, "ac2g")) {
		if (begins && perfetto->holds && event->id <= CORRELATION_MAX)
			packet->flow_end = flow_of_call(event->pid, event->id);
		return;
	}
	flush(perfetto);
	*packet = (struct perfetto_event){ .start_ns = event->time_ns };
	packet->track = thread_track(perfetto, event->pid, event->tid);
	if (begins)
		packet->flow = FLOW_OF_BACKWARD | event->id;
	else
		packet->flow_end = FLOW_OF_BACKWARD | event->id;
	perfetto_event_begin(&perfetto->out, packet, PERFETTO_MOMENT, event->category,
			     begins ? TRACE_TEXT("\"forward\"") : TRACE_TEXT("\"backward\""));
	perfetto_event_end(&perfetto->out, packet);
}

static void begin_event(struct perfetto *perfetto, const struct trace_event *event)
{
	static const enum perfetto_what whats[256] = { ['X'] = PERFETTO_SPAN,
						       ['B'] = PERFETTO_SPAN,
						       ['i'] = PERFETTO_MOMENT,
						       ['C'] = PERFETTO_VALUE };
	struct perfetto_event *packet = &perfetto->packet;
	enum perfetto_what what = whats[(unsigned char)event->phase];

	*packet = (struct perfetto_event){ .start_ns = event->time_ns,
					   .end_ns = event->phase == 'B'
							     ? PERFETTO_NO_END
							     : event->time_ns +
								       event->duration_ns };
	packet->track = track_of(perfetto, event);
	if (what == PERFETTO_SPAN)
		packet->track = perfetto_lane(&perfetto->out, packet->track, packet->start_ns,
					      packet->end_ns);
	perfetto_event_begin(&perfetto->out, packet, what, event->category, event->name);
}

static bool is_apart(char phase)
{
	return phase == 'b' || phase == 'e' || phase == 's' || phase == 'f';
}

static void take_begin(struct trace_file *trace, const struct trace_event *event)
{
	struct perfetto *perfetto = trace->writer_state;

	perfetto->event = *event;
	if (event->phase == 's' || event->phase == 'f') {
		trace->events--;
		take_arrow(perfetto, event);
		return;
	}
	flush(perfetto);
	if (is_apart(event->phase))
		take_opened(perfetto, event);
	else
		begin_event(perfetto, event);
}

static void take_number(struct trace_file *trace, const char *name, uint64_t value)
{
	struct perfetto *perfetto = trace->writer_state;
	const struct trace_event *event = &perfetto->event;

	if (is_apart(event->phase))
		return;
	if (event->phase == 'C') {
		perfetto->packet.value = value;
		return;
	}
	if (!is_of_device(event) && value <= CORRELATION_MAX && value &&
	    !strcmp(name, "correlation") && strcmp(event->category, "cuda_sync") != 0)
		perfetto->packet.flow = flow_of_call(event->pid, value);
	perfetto_number(&perfetto->out, name, value);
}

static void take_text(struct trace_file *trace, const char *name, struct trace_text value)
{
	struct perfetto *perfetto = trace->writer_state;

	if (!is_apart(perfetto->event.phase))
		perfetto_text(&perfetto->out, name, value);
}

static void take_end(struct trace_file *trace)
{
	struct perfetto *perfetto = trace->writer_state;

	if (is_apart(perfetto->event.phase))
		return;
	if (is_of_device(&perfetto->event))
		perfetto->holds = true;
	else
		perfetto_event_end(&perfetto->out, &perfetto->packet);
}

static void take_metadata(struct trace_file *trace, const char *what, uint64_t pid, uint64_t tid,
			  const struct trace_text *value)
{
	struct perfetto *perfetto = trace->writer_state;

	flush(perfetto);
	if (!value || !value->text)
		return;
	if (!strcmp(what, "process_name"))
		perfetto_name(&perfetto->out, process_track(perfetto, pid), *value);
	else if (!strcmp(what, "thread_name"))
		perfetto_name(&perfetto->out, thread_track(perfetto, pid, tid), *value);
}

/* --- the file --- */

static int take_open(struct trace_file *trace, struct report_request *request,
		     const struct trace_head *head)
{
	struct perfetto *perfetto;

	if (sink_open(&trace->sink, request, trace->path, false))
		return -1;
	perfetto = memory_zero(1, sizeof(*perfetto));
	trace->writer_state = perfetto;
	perfetto_open(&perfetto->out, &trace->sink, head->base_real_ns);
	return 0;
}

/* At the end of the recording, on a track of their own: what was lost, and what of the files could not be read. */
static void put_losses(struct perfetto *perfetto, struct source *source)
{
	const struct source_loss *loss;
	size_t count = source_losses(source, &loss);
	struct perfetto_event packet = { .start_ns = source_end_ns(source) };

	for (size_t i = 0; i < count; i++) {
		const char *reason = source_loss_text(&loss[i]);

		packet.track = line_below(perfetto, 0, "intercept: losses and faults");
		perfetto_event_begin(&perfetto->out, &packet, PERFETTO_MOMENT, "intercept_losses",
				     TRACE_TEXT("\"LOST\""));
		perfetto_number(&perfetto->out, "count", loss[i].count);
		perfetto_number(&perfetto->out, "pid", loss[i].process ? loss[i].process->pid : 0);
		perfetto_number(&perfetto->out, "from_ns", loss[i].from_ns);
		perfetto_number(&perfetto->out, "to_ns", loss[i].to_ns);
		perfetto_text(&perfetto->out, "reason",
			      (struct trace_text){ reason, strlen(reason) });
		perfetto_event_end(&perfetto->out, &packet);
	}
}

static void put_faults(struct perfetto *perfetto, struct source *source)
{
	const struct source_fault *fault;
	size_t count = source_faults(source, &fault);
	struct perfetto_event packet = { .start_ns = source_end_ns(source) };

	for (size_t i = 0; i < count; i++) {
		const char *path = fault[i].file ? fault[i].file->path : "";

		packet.track = line_below(perfetto, 0, "intercept: losses and faults");
		perfetto_event_begin(&perfetto->out, &packet, PERFETTO_MOMENT, "intercept_faults",
				     TRACE_TEXT("\"INCOMPLETE\""));
		perfetto_text(&perfetto->out, "fault",
			      (struct trace_text){ fault[i].text, strlen(fault[i].text) });
		perfetto_text(&perfetto->out, "file", (struct trace_text){ path, strlen(path) });
		perfetto_number(&perfetto->out, "offset", fault[i].offset);
		perfetto_event_end(&perfetto->out, &packet);
	}
}

static int take_close(struct trace_file *trace, struct report_request *request)
{
	struct perfetto *perfetto = trace->writer_state;

	flush(perfetto);
	put_opened(perfetto, PERFETTO_NO_END);
	put_losses(perfetto, request->source);
	put_faults(perfetto, request->source);
	perfetto_release(&perfetto->out);
	free(perfetto);
	return sink_close(&trace->sink, request);
}

static const struct trace_writer writer = {
	.names_devices = true,
	.takes_samples = true,
	.open = take_open,
	.close = take_close,
	.begin = take_begin,
	.number = take_number,
	.text = take_text,
	.end = take_end,
	.metadata = take_metadata,
};

int export_perfetto(struct report_request *request)
{
	return chrome_export(request, &writer, NULL);
}
