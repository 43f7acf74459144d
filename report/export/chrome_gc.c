/* SPDX-License-Identifier: MIT */
/*
 * Garbage collections as events of a trace, each on its thread with its generation. See chrome.h. They nest in what is open there, since
 * nothing opens or closes on a thread while it collects.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/base/memory.h"
#include "report/export/chrome.h"

#define CATEGORY "python_gc"

static void take_begin(void *state, const struct source_event *event, bool counts)
{
	struct chrome_collecting *mine = &((struct chrome *)state)->collecting;

	collecting_begin(&mine->threads, event, counts);
	mine->generation = memory_room(mine->generation, event->thread->index, &mine->room,
				       sizeof(*mine->generation));
	mine->generation[event->thread->index] = (uint32_t)EVENT_AS(gc_begin, &event->event)
							 ->generation;
}

static void take_end(void *state, const struct source_event *event, bool counts)
{
	struct chrome *chrome = state;
	const struct evt_gc_end *end = EVENT_AS(gc_end, &event->event);
	struct chrome_place place = { .phase = 'X',
				      .category = CATEGORY,
				      .name = TRACE_TEXT("\"garbage collection\"") };
	struct collected collected;
	struct trace_file *file;

	(void)counts;
	if (!collecting_end(&chrome->collecting.threads, event, &collected) || !collected.counts)
		return;
	place.time_ns = event->event.time_ns - collected.duration_ns;
	place.duration_ns = collected.duration_ns;
	file = chrome_begin(chrome, event->thread, &place);
	if (!file)
		return;
	trace_argument_number(file, "generation",
			      chrome->collecting.generation[event->thread->index]);
	trace_argument_number(file, "collected", end->collected);
	trace_end(file);
}

void chrome_gc_start(struct chrome *chrome, struct run *run)
{
	run_reads(run, EVT_gc_begin, FIELD_BIT(gc_begin, generation), take_begin, chrome);
	run_reads(run, EVT_gc_end, FIELD_BIT(gc_end, collected), take_end, chrome);
}

void chrome_gc_cut(struct chrome *chrome, const struct cut *cut)
{
	(void)collecting_cut(&chrome->collecting.threads, cut->thread->index);
}

void chrome_gc_release(struct chrome *chrome)
{
	collecting_release(&chrome->collecting.threads);
	free(chrome->collecting.generation);
}
