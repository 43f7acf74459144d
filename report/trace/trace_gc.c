/* SPDX-License-Identifier: MIT */
/*
 * Garbage collections as slices, each on its thread with its generation. See producer.h. They nest
 * in what is open there, because nothing opens or closes on a thread while it collects.
 */
#include "report/trace/producer.h"

#include <stdlib.h>

#include "report/base/memory.h"

static void trace_gc_take_begin(void *state, const struct source_event *event, bool counts)
{
	struct trace_collecting *mine = &((struct trace *)state)->collecting;

	collecting_begin(&mine->threads, event, counts);
	mine->generation = memory_room(mine->generation, event->thread->index, &mine->room,
				       sizeof(*mine->generation));
	mine->generation[event->thread->index] = (uint32_t)EVENT_AS(gc_begin, &event->event)
							 ->generation;
}

static void trace_gc_take_end(void *state, const struct source_event *event, bool counts)
{
	struct trace *trace = state;
	struct trace_collecting *mine = &trace->collecting;
	struct collected collected;
	struct trace_list list;

	(void)counts;
	if (!collecting_end(&mine->threads, event, &collected) || !collected.counts)
		return;
	list.count = 0;
	trace_add_number(&list, TRACE_OF_GENERATION, mine->generation[event->thread->index]);
	trace_add_number(&list, TRACE_OF_COLLECTED, EVENT_AS(gc_end, &event->event)->collected);
	trace_put_slice(
		trace, event->thread,
		(struct trace_slice){
			.event = { .category = TRACE_GC,
				   .name = TRACE_OWN("garbage collection", TRACE_OWN_COLLECTION),
				   .time_ns = event->event.time_ns - collected.duration_ns,
				   .argument = list.argument,
				   .arguments = list.count },
			.duration_ns = collected.duration_ns });
}

void trace_gc_start(struct trace *trace, struct run *run)
{
	run_reads(run, EVT_gc_begin, FIELD_BIT(gc_begin, generation), trace_gc_take_begin, trace);
	run_reads(run, EVT_gc_end, FIELD_BIT(gc_end, collected), trace_gc_take_end, trace);
}

void trace_gc_cut(struct trace *trace, const struct cut *cut)
{
	(void)collecting_cut(&trace->collecting.threads, cut->thread->index);
}

void trace_gc_release(struct trace *trace)
{
	collecting_release(&trace->collecting.threads);
	free(trace->collecting.generation);
}
