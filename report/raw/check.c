/* SPDX-License-Identifier: MIT */
/*
 * An id that is used before its definition, or has no definition, is reported once. Otherwise a
 * lost frame would give as many lines as it had events.
 */
#include "report/raw/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/format/error.h"
#include "report/base/memory.h"

#define RATE_SPAN_NS 10000000u /* clocks are compared over at least this time */
#define RATE_PERCENT 5u        /* a TSC and CLOCK_MONOTONIC differ by much less */
#define CLOCK_IS_TSC 1u        /* file_header.clock */

/* The value of an id in a lookup. */
static char defined_mark, used_mark;
#define DEFINED ((void *)&defined_mark)
#define USED ((void *)&used_mark)

__attribute__((format(printf, 2, 3))) static void check_fault(struct check *check,
							      const char *format, ...)
{
	char text[READER_FAULT_BYTES];
	va_list arguments;
	int n = 0;

	if (check->sequence)
		n = snprintf(text, sizeof(text),
			     "frame %llu: ", (unsigned long long)check->sequence);
	va_start(arguments, format);
	vsnprintf(text + n, sizeof(text) - (size_t)n, format, arguments);
	va_end(arguments);
	check->listener.fault(check->listener.context, check->offset, EVT_CORRUPT, text);
}

void check_init(struct check *check, const struct reader_listener *listener)
{
	*check = (struct check){ .listener = *listener };
	stacks_init(&check->stacks);
	map_init(&check->torn_of);
}

void check_release(struct check *check)
{
	lookup_release(&check->names);
	lookup_release(&check->processes);
	lookup_release(&check->streams);
	lookup_release(&check->times);
	store_release(&check->store);
	stacks_release(&check->stacks);
	map_release(&check->torn_of);
	free(check->stack_of_node);
	free(check->is_named);
}

static int check_define(struct check *check, struct lookup *lookup, uint64_t number,
			const char *what)
{
	if (number == 0)
		check_fault(check, "%s 0 is defined, which means none", what);
	else if (lookup_find(lookup, number) == DEFINED)
		check_fault(check, "%s %llu is defined a second time", what,
			    (unsigned long long)number);
	return lookup_put(lookup, number, DEFINED);
}

static int check_defined(struct check *check, struct lookup *lookup, uint64_t number,
			 const char *what)
{
	if (lookup_find(lookup, number))
		return EVT_OK;
	check_fault(check, "%s %llu is used and not defined", what, (unsigned long long)number);
	return lookup_put(lookup, number, USED);
}

/* The text of a name may come in a later frame, so it is checked at the end. */
static int check_name(struct check *check, uint64_t id)
{
	if (id == 0 || lookup_find(&check->names, id))
		return EVT_OK;
	return lookup_put(&check->names, id, USED);
}

static int check_definition(struct check *check, const struct event *event)
{
	switch (event->id) {
	case EVT_string: /* each segment of the file defines the names that it uses */
		return lookup_put(&check->names, EVENT_AS(string, event)->id, DEFINED);
	case EVT_process:
		return check_define(check, &check->processes, EVENT_AS(process, event)->process,
				    "process");
	case EVT_thread:
		return check_define(check, &check->streams, EVENT_AS(thread, event)->stream,
				    "stream");
	default:
		return EVT_OK;
	}
}

/* The process that a bookkeeping event is about; 0: none. */
static uint64_t event_process(const struct event *event)
{
	switch (event->id) {
	case EVT_process_end:
	case EVT_thread_name:
	case EVT_module:
	case EVT_module_end:
	case EVT_lost:
	case EVT_meta:
	case EVT_process_cpu:
	case EVT_python_sampling:
		return event->value[0];
	case EVT_thread:
		return EVENT_AS(thread, event)->process;
	default:
		return 0;
	}
}

/* The counts of the process that were reported earlier are contained in this one. */
static void check_count_torn(struct check *check, const struct evt_python_sampling *event)
{
	bool added;
	struct map_entry *entry;

	if (!event->process)
		return;
	entry = map_put(&check->torn_of, event->process, &added);
	if (added)
		entry->value = 0;
	check->torn += event->torn - entry->value;
	entry->value = event->torn;
}

static int check_references(struct check *check, const struct event *event)
{
	uint64_t process = event_process(event);
	int error = EVT_OK;

	if (process)
		error = check_defined(check, &check->processes, process, "process");
	if (!error && event->id == EVT_thread_end)
		error = check_defined(check, &check->streams, EVENT_AS(thread_end, event)->stream,
				      "stream");
	if (event->id == EVT_python_sampling)
		check_count_torn(check, EVENT_AS(python_sampling, event));
	if (event->id == EVT_lost && lost_is_of_events(EVENT_AS(lost, event)->reason))
		check->lost += EVENT_AS(lost, event)->count;
	return error;
}

static int check_names(struct check *check, const struct event *event)
{
	const struct evt_descriptor *own = &evt_descriptors[event->id];
	int error = EVT_OK;

	for (unsigned int i = 0; i < own->field_count && !error; i++) {
		if (own->field[i].codec == EVT_CODEC_name)
			error = check_name(check, event->value[i]);
	}
	return error;
}

/*
 * Sums of GPU work and of requests, and the state of GPUs, are written by the collector, although
 * they are of a family of programs.
 */
static bool check_is_sum(uint32_t id)
{
	return evt_descriptors[id].family == EVT_FAMILY_device || id == EVT_gpu_scope ||
	       id == EVT_gpu_kernel_sum || id == EVT_gpu_copy_sum || id == EVT_gpu_busy ||
	       id == EVT_gpu_step || id == EVT_gpu_stretch || id == EVT_gpu_unusual ||
	       id == EVT_request_sum;
}

static int check_event(struct check *check, const struct event *event)
{
	const struct evt_descriptor *own = &evt_descriptors[event->id];
	int error;

	if (own->name && !check_is_sum(event->id) &&
	    (own->family == EVT_FAMILY_system) != (event->stream == 0))
		check_fault(check, "event %s is in stream %u, where it does not belong", own->name,
			    event->stream);
	error = check_names(check, event);
	if (!error && event->stream == 0)
		error = check_references(check, event);
	return error;
}

/* Of a stream in one frame. */
struct check_time {
	uint64_t last_ns;
	bool has_fallen; /* said once */
};

/* Times do not decrease within a block, nor from one block of a stream to the next. */
static int check_times(struct check *check, const struct event_block *block)
{
	struct check_time *time = lookup_find(&check->times, block->stream);

	if (!time) {
		time = store_take(&check->store, sizeof(*time));
		if (!time || lookup_put(&check->times, block->stream, time))
			return EVT_NO_MEMORY;
		*time = (struct check_time){ 0 };
	}
	for (uint32_t i = 0; i < block->count; i++) {
		uint64_t time_ns = block->event[i].time_ns;

		if (time_ns < time->last_ns && !time->has_fallen) {
			check_fault(check, "stream %u: time falls from %llu to %llu ns",
				    block->stream, (unsigned long long)time->last_ns,
				    (unsigned long long)time_ns);
			time->has_fallen = true;
		}
		time->last_ns = time_ns;
	}
	return EVT_OK;
}

static int check_block(struct check *check, const struct event_block *block)
{
	int error = check_times(check, block);

	if (!error && block->stream)
		error = check_defined(check, &check->streams, block->stream, "stream");
	for (uint32_t i = 0; i < block->count && !error; i++)
		error = check_event(check, &block->event[i]);
	return error;
}

static void check_clocks(struct check *check, const struct reader_facts *facts,
			 const struct frame_info *info)
{
	const struct frame_info *last = &check->last;
	double ns, expected, ticks;

	if (!last->sequence)
		return;
	if (info->watermark_ns < last->watermark_ns)
		check_fault(check, "the watermark falls from %llu to %llu ns",
			    (unsigned long long)last->watermark_ns,
			    (unsigned long long)info->watermark_ns);
	if (info->sync_mono_ns < last->sync_mono_ns || info->sync_tsc < last->sync_tsc) {
		check_fault(check, "a clock goes back");
		return;
	}
	ns = (double)(info->sync_mono_ns - last->sync_mono_ns);
	if (facts->header.clock != CLOCK_IS_TSC || !facts->header.tsc_hz || ns < RATE_SPAN_NS)
		return;
	ticks = (double)(info->sync_tsc - last->sync_tsc);
	expected = ns * (double)facts->header.tsc_hz / 1e9;
	if (ticks < expected * (100 - RATE_PERCENT) / 100 ||
	    ticks > expected * (100 + RATE_PERCENT) / 100)
		check_fault(check, "the clocks differ: %.0f ticks in %.0f ns, where %.0f were due",
			    ticks, ns, expected);
}

/* Counts the stacks that are new. The reader has already checked that the table is consistent. */
static void check_stacks(struct check *check, const struct event_block *block)
{
	for (uint32_t i = 0; block->node && i <= block->nodes; i++) {
		const struct frame_node *node = &block->node[i];

		check->stack_of_node = memory_room(check->stack_of_node, i, &check->node_room,
						   sizeof(*check->stack_of_node));
		check->stack_of_node[i] = i ? stacks_add(&check->stacks,
							 check->stack_of_node[node->parent],
							 node->address, node->flags)
					    : STACK_NONE;
	}
	while (check->named_room < check->stacks.count)
		check->is_named = memory_room(check->is_named, check->named_room,
					      &check->named_room, sizeof(*check->is_named));
	for (uint32_t i = 0; block->node && i < block->kinds; i++) {
		uint32_t stack = check->stack_of_node[block->stack[i]];

		check->named += stack != STACK_NONE && !check->is_named[stack];
		check->is_named[stack] = 1;
	}
}

int check_frame(struct check *check, const struct reader_facts *facts,
		const struct reader_frame *frame)
{
	int error = EVT_OK;

	check->offset = frame->offset;
	check->sequence = frame->info.sequence;
	if (!frame->is_state) { /* which was made from tables, and so has no moment of its own */
		check_clocks(check, facts, &frame->info);
		check->last = frame->info;
	}
	lookup_release(&check->times);
	store_release(&check->store);
	if (frame->block_count)
		check_stacks(check, frame->block);
	for (size_t i = 0; i < frame->block_count && !error; i++) {
		const struct event_block *block = &frame->block[i];

		for (uint32_t j = 0; block->stream == 0 && j < block->count && !error; j++)
			error = check_definition(check, &block->event[j]);
	}
	for (size_t i = 0; i < frame->block_count && !error && !frame->is_state; i++)
		error = check_block(check, &frame->block[i]);
	return error;
}

void check_finish(struct check *check, const struct reader_facts *facts)
{
	uint64_t count = 0, first = UINT64_MAX;

	check->offset = facts->position;
	check->sequence = 0;
	for (size_t i = 0; i < check->names.slots; i++) {
		if (check->names.slot[i].value == USED) {
			count++;
			first = check->names.slot[i].key < first ? check->names.slot[i].key : first;
		}
	}
	if (count && !facts->live)
		check_fault(check, "names used and not defined: %llu, the first is #%llu",
			    (unsigned long long)count, (unsigned long long)first);
	if (facts->complete && facts->end.lost != check->lost + facts->before.lost)
		check_fault(check, "%llu lost records in the end marker, %llu in the frames",
			    (unsigned long long)facts->end.lost,
			    (unsigned long long)(check->lost + facts->before.lost));
}
