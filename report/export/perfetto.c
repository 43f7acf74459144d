/* SPDX-License-Identifier: MIT */
/*
 * `export perfetto`: a trace as Perfetto's protobuf, packet by packet. perfetto_trace.c encodes the
 * packets; this file decides on which track each event is.
 *
 * A thread's line is its track in Perfetto. What crosses another slice there is on a track of its
 * own below it (lanes.h). Work of a GPU is below the process that it was done for.
 */
#include "report/export/exporter.h"
#include "report/export/perfetto_trace.h"
#include "report/trace/trace.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/base/memory.h"

#define FLOW_OF_BACKWARD (1ull << 63)
#define PID_SHIFT 32

struct perfetto {
	struct perfetto_trace out;
	struct sink sink;
	const char *path;
	uint64_t events;
};

static struct trace_text word_of(const char *text)
{
	return (struct trace_text){ .text = text, .length = strlen(text) };
}

/* --- tracks --- */

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

static uint32_t line_below(struct perfetto *perfetto, uint32_t parent, const char *name)
{
	return perfetto_track(
		&perfetto->out,
		&(struct perfetto_place){ .kind = PERFETTO_LINE, .name = name, .parent = parent });
}

static uint32_t stream_track(struct perfetto *perfetto, const struct trace_slice *slice)
{
	char device[32], stream[32];

	snprintf(device, sizeof(device), "GPU %llu", (unsigned long long)slice->event.pid);
	snprintf(stream, sizeof(stream), "stream %llu", (unsigned long long)slice->event.tid);
	return line_below(perfetto,
			  line_below(perfetto, process_track(perfetto, slice->owner), device),
			  stream);
}

/* Returns the slice's track, before its lane is known. */
static uint32_t track_of(struct perfetto *perfetto, const struct trace_slice *slice)
{
	static const char *const lines[TRACE_CATEGORY_LIMIT] = {
		[TRACE_STEP] = "steps",
		[TRACE_STACK] = "Python's stack",
		[TRACE_WAIT] = "waits for the GPU",
	};
	const struct trace_event *event = &slice->event;
	uint32_t thread;

	if (slice->work)
		return stream_track(perfetto, slice);
	if (slice->id)
		return line_below(perfetto, process_track(perfetto, event->pid),
				  event->category == TRACE_UNFINISHED
					  ? "work of the GPU, end not recorded"
					  : "ranges of the process");
	thread = thread_track(perfetto, event->pid, event->tid);
	return lines[event->category] ? line_below(perfetto, thread, lines[event->category])
				      : thread;
}

/* --- events --- */

static void perfetto_put_arguments(struct perfetto *perfetto, const struct trace_event *event)
{
	char size[TRACE_DIMENSIONS_BYTES];

	for (size_t i = 0; i < event->arguments; i++) {
		const struct trace_argument *argument = &event->argument[i];

		if (argument->type == TRACE_STRING)
			perfetto_text(&perfetto->out, argument->name, argument->text);
		else if (argument->type == TRACE_DIMENSIONS)
			perfetto_text(&perfetto->out, argument->name,
				      trace_dimensions_text(size, argument->size));
		else
			perfetto_number(&perfetto->out, argument->name, argument->number);
	}
}

static uint64_t flow_of_call(uint64_t pid, uint64_t correlation)
{
	return correlation && correlation <= TRACE_CORRELATION_MAX ? pid << PID_SHIFT | correlation
								   : 0;
}

/* The arrow from a call to its work ends at the work. */
static void perfetto_put_flow(struct perfetto_event *packet, const struct trace_slice *slice)
{
	const struct trace_event *event = &slice->event;

	if (slice->flow)
		packet->flow_end = flow_of_call(slice->flow->pid, slice->flow->id);
	if (event->category != TRACE_RUNTIME && event->category != TRACE_DRIVER)
		return;
	for (size_t i = 0; i < event->arguments; i++)
		if (event->argument[i].id == TRACE_OF_CORRELATION)
			packet->flow = flow_of_call(event->pid, event->argument[i].number);
}

static void perfetto_take_slice(void *state, const struct trace_slice *slice)
{
	struct perfetto *perfetto = state;
	const struct trace_event *event = &slice->event;
	struct perfetto_event packet = { .start_ns = event->time_ns,
					 .end_ns = trace_is_open(slice) ? PERFETTO_NO_END
									: trace_end_ns(slice) };

	perfetto->events++;
	packet.track = perfetto_lane(&perfetto->out, track_of(perfetto, slice), packet.start_ns,
				     packet.end_ns);
	perfetto_put_flow(&packet, slice);
	perfetto_event_begin(&perfetto->out, &packet, PERFETTO_SPAN, trace_words[event->category],
			     event->name);
	perfetto_put_arguments(perfetto, event);
	if (slice->is_cut && !trace_is_open(slice))
		perfetto_text(&perfetto->out, TRACE_CUT, TRACE_TEXT("true"));
	perfetto_event_end(&perfetto->out, &packet);
}

static void perfetto_take_moment(void *state, const struct trace_event *event)
{
	struct perfetto *perfetto = state;
	struct perfetto_event packet = { .start_ns = event->time_ns };

	perfetto->events++;
	packet.track = thread_track(perfetto, event->pid, event->tid);
	if (event->category == TRACE_TENSOR)
		packet.track = line_below(perfetto, packet.track, "memory of tensors");
	perfetto_event_begin(&perfetto->out, &packet, PERFETTO_MOMENT, trace_words[event->category],
			     event->name);
	perfetto_put_arguments(perfetto, event);
	perfetto_event_end(&perfetto->out, &packet);
}

static void perfetto_put_value(struct perfetto *perfetto, const struct trace_event *event,
			       uint64_t value, struct perfetto_place place)
{
	struct perfetto_event packet = { .start_ns = event->time_ns, .value = value };

	perfetto->events++;
	place.name = event->name.text;
	place.parent = process_track(perfetto, event->pid);
	packet.track = perfetto_track(&perfetto->out, &place);
	perfetto_event_begin(&perfetto->out, &packet, PERFETTO_VALUE, NULL, event->name);
	perfetto_event_end(&perfetto->out, &packet);
}

static void perfetto_take_counter(void *state, const struct trace_event *event, uint64_t bytes)
{
	perfetto_put_value(state, event, bytes,
			   (struct perfetto_place){ .kind = PERFETTO_COUNTER });
}

/* The number of the device tells tracks of one name apart. */
static void perfetto_take_gauge(void *state, const struct trace_event *event, uint64_t value)
{
	perfetto_put_value(
		state, event, value,
		(struct perfetto_place){ .kind = PERFETTO_GAUGE, .tid = event->tid + 1 });
}

static void put_backward(struct perfetto *perfetto, struct perfetto_event packet, uint64_t pid,
			 uint64_t tid, struct trace_text name)
{
	packet.track = thread_track(perfetto, pid, tid);
	perfetto_event_begin(&perfetto->out, &packet, PERFETTO_MOMENT, trace_words[TRACE_BACKWARD],
			     name);
	perfetto_event_end(&perfetto->out, &packet);
}

static void perfetto_take_flow(void *state, const struct trace_flow *flow)
{
	uint64_t id = FLOW_OF_BACKWARD | flow->id;

	put_backward(state, (struct perfetto_event){ .start_ns = flow->time_ns, .flow = id },
		     flow->pid, flow->tid, TRACE_TEXT("forward"));
	put_backward(state, (struct perfetto_event){ .start_ns = flow->to_ns, .flow_end = id },
		     flow->to_pid, flow->to_tid, TRACE_TEXT("backward"));
}

static void perfetto_take_process(void *state, const struct source_process *process, uint64_t pid)
{
	struct perfetto *perfetto = state;
	struct trace_text name = { .number = 0 };

	name.text = name_text(process->command, &name.length);
	perfetto_name(&perfetto->out, process_track(perfetto, pid), name);
}

static void perfetto_take_thread(void *state, const struct source_thread *thread, uint64_t pid)
{
	struct perfetto *perfetto = state;
	struct trace_text name = { .number = 0 };

	thread_name(thread, &name.text, &name.length);
	if (name.text)
		perfetto_name(&perfetto->out, thread_track(perfetto, pid, thread->tid), name);
}

/* --- the file --- */

static int perfetto_take_open(struct trace_file *file, struct report_request *request,
			      const struct trace_head *head)
{
	struct perfetto *perfetto = memory_zero(1, sizeof(*perfetto));

	perfetto->path = request->options->output;
	if (sink_open(&perfetto->sink, request, perfetto->path, false)) {
		free(perfetto);
		return -1;
	}
	file->state = perfetto;
	perfetto_open(&perfetto->out, &perfetto->sink, head->base_real_ns);
	return 0;
}

/*
 * At the end of the recording, on a track of their own: losses, and parts of the files that could
 * not be read.
 */
static void perfetto_put_losses(struct perfetto *perfetto, struct source *source)
{
	const struct source_loss *loss;
	size_t count = source_losses(source, &loss);
	struct perfetto_event packet = { .start_ns = source_end_ns(source) };

	for (size_t i = 0; i < count; i++) {
		const char *reason = source_loss_text(&loss[i]);

		packet.track = line_below(perfetto, 0, "intercept: losses and faults");
		perfetto_event_begin(&perfetto->out, &packet, PERFETTO_MOMENT, "intercept_losses",
				     TRACE_TEXT("LOST"));
		perfetto_number(&perfetto->out, "count", loss[i].count);
		perfetto_number(&perfetto->out, "pid", loss[i].process ? loss[i].process->pid : 0);
		perfetto_number(&perfetto->out, "from_ns", loss[i].from_ns);
		perfetto_number(&perfetto->out, "to_ns", loss[i].to_ns);
		perfetto_text(&perfetto->out, "reason", word_of(reason));
		perfetto_event_end(&perfetto->out, &packet);
	}
}

static void perfetto_put_faults(struct perfetto *perfetto, struct source *source)
{
	const struct source_fault *fault;
	size_t count = source_faults(source, &fault);
	struct perfetto_event packet = { .start_ns = source_end_ns(source) };

	for (size_t i = 0; i < count; i++) {
		const char *path = fault[i].file ? fault[i].file->path : "";

		packet.track = line_below(perfetto, 0, "intercept: losses and faults");
		perfetto_event_begin(&perfetto->out, &packet, PERFETTO_MOMENT, "intercept_faults",
				     TRACE_TEXT("INCOMPLETE"));
		perfetto_text(&perfetto->out, "fault", word_of(fault[i].text));
		perfetto_text(&perfetto->out, "file", word_of(path));
		perfetto_number(&perfetto->out, "offset", fault[i].offset);
		perfetto_event_end(&perfetto->out, &packet);
	}
}

static int perfetto_take_close(struct trace_file *file, struct report_request *request)
{
	struct perfetto *perfetto = file->state;
	int result;

	perfetto_put_losses(perfetto, request->source);
	perfetto_put_faults(perfetto, request->source);
	result = sink_close(&perfetto->sink, request);
	if (!result)
		export_say_written(perfetto->path, perfetto->events, "event", perfetto->sink.bytes);
	perfetto_release(&perfetto->out);
	free(perfetto);
	return result;
}

static const struct trace_writer writer = {
	.takes_samples = true,
	.open = perfetto_take_open,
	.close = perfetto_take_close,
	.slice = perfetto_take_slice,
	.moment = perfetto_take_moment,
	.counter = perfetto_take_counter,
	.gauge = perfetto_take_gauge,
	.flow = perfetto_take_flow,
	.process = perfetto_take_process,
	.thread = perfetto_take_thread,
};

int export_perfetto(struct report_request *request)
{
	return trace_write(&(struct trace_options){
		.request = request, .writer = &writer, .whole_kernel_names = true });
}
