/* SPDX-License-Identifier: MIT */
/*
 * Waits of the operating system as slices of their threads: recorded at their end, as calls of CUDA
 * are. Reads and polls that family io has recorded are its slices. See producer.h.
 */
#include "report/trace/producer.h"

#include <string.h>

#include "report/osrt/wait_objects.h"

/* All of the fields are in the same order. */
struct wait_fields {
	uint64_t function, kind, object, owner;
};

static struct trace_text trace_waits_word(uint64_t kind)
{
	const char *word = wait_object_word(kind);

	return (struct trace_text){ .text = word, .length = strlen(word) };
}

static void trace_waits_put(struct trace *trace, const struct source_event *event,
			    const struct wait_fields *wait, uint64_t error, uint64_t duration_ns)
{
	uint64_t end_ns = event->event.time_ns;
	struct trace_list list = { .count = 0 };
	struct trace_slice slice = {
		.event = { .category = TRACE_OSRT,
			   .name = trace_text(&trace->texts, TRACE_AS_IS,
					      event_name(trace->source, event, wait->function)),
			   .argument = list.argument },
		.duration_ns = duration_ns < end_ns ? duration_ns : end_ns,
		.is_cut = event->event.id == EVT_osrt_unfinished,
	};

	if (*wait_object_word(wait->kind)) {
		trace_add_text(&list, TRACE_OF_WAITS_FOR, trace_waits_word(wait->kind));
		trace_add_number(&list, TRACE_OF_OBJECT, wait->object);
	}
	if (wait->owner)
		trace_add_number(&list, TRACE_OF_OWNER, wait->owner);
	if (error)
		trace_add_number(&list, TRACE_OF_ERROR, error);
	slice.event.time_ns = end_ns - slice.duration_ns;
	slice.event.arguments = list.count;
	trace_put_slice(trace, event->thread, slice);
}

static void trace_waits_take(void *state, const struct source_event *event, bool counts)
{
	const struct evt_osrt_wait *e = EVENT_AS(osrt_wait, &event->event);

	if (counts)
		trace_waits_put(state, event,
				&(struct wait_fields){ e->function, e->kind, e->object, e->owner },
				e->error, e->duration);
}

static void trace_waits_take_unfinished(void *state, const struct source_event *event, bool counts)
{
	const struct evt_osrt_unfinished *e = EVENT_AS(osrt_unfinished, &event->event);

	if (counts)
		trace_waits_put(state, event,
				&(struct wait_fields){ e->function, e->kind, e->object, e->owner },
				0, e->duration_ns);
}

void trace_waits_start(struct trace *trace, struct run *run)
{
	run_reads(run, EVT_osrt_wait, FIELDS_ALL, trace_waits_take, trace);
	run_reads(run, EVT_osrt_unfinished, FIELDS_ALL, trace_waits_take_unfinished, trace);
}
