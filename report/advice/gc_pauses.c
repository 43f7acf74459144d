/* SPDX-License-Identifier: MIT */
/*
 * Takes the stack at the beginning of each collection, so that frames of one never count for the
 * next, and decides at its end what to keep, because only then its duration is known.
 */
#include "report/advice/gc_pauses.h"

#include <stdlib.h>

#include "report/base/memory.h"

static void gc_pauses_take_frame(void *state, const struct source_event *event, bool counts)
{
	struct gc_pauses *pauses = state;

	(void)counts;
	gc_stacks_add(&pauses->stacks, pauses->source, event);
}

static void gc_pauses_take_begin(void *state, const struct source_event *event, bool counts)
{
	struct gc_pauses *pauses = state;

	collecting_begin(&pauses->collecting, event, counts);
	pauses->stack = memory_room(pauses->stack, event->thread->index, &pauses->stack_room,
				    sizeof(*pauses->stack));
	pauses->stack[event->thread->index] = gc_stacks_take(&pauses->stacks, pauses->source,
							     event);
}

static void gc_pauses_take_end(void *state, const struct source_event *event, bool counts)
{
	struct gc_pauses *pauses = state;
	struct collected collected;

	(void)counts;
	if (!collecting_end(&pauses->collecting, event, &collected) || !collected.counts ||
	    collected.duration_ns < GC_PAUSE_NS || pauses->count >= GC_PAUSES_MAX)
		return;
	pauses->pause = memory_room(pauses->pause, pauses->count, &pauses->room,
				    sizeof(*pauses->pause));
	pauses->pause[pauses->count++] = (struct gc_pause){
		.process = event->process->index,
		.stack = pauses->stack[event->thread->index],
		.from_ns = event->event.time_ns - collected.duration_ns,
		.ns = collected.duration_ns
	};
}

static void gc_pauses_start(void *state, struct run *run, const void *options)
{
	struct gc_pauses *pauses = state;

	(void)options;
	pauses->source = run_source(run);
	gc_stacks_init(&pauses->stacks);
	run_reads(run, EVT_gc_frame, FIELDS_ALL, gc_pauses_take_frame, pauses);
	run_reads(run, EVT_gc_begin, FIELDS_ALL, gc_pauses_take_begin, pauses);
	run_reads(run, EVT_gc_end, 0, gc_pauses_take_end, pauses);
	run_seeks(run, state);
}

static void gc_pauses_cut(void *state, const struct cut *cut)
{
	struct gc_pauses *pauses = state;

	if (!cut->thread)
		return;
	(void)collecting_cut(&pauses->collecting, cut->thread->index);
	gc_stacks_forget(&pauses->stacks, cut->thread->index);
}

static void gc_pauses_release(void *state)
{
	struct gc_pauses *pauses = state;

	gc_stacks_release(&pauses->stacks);
	collecting_release(&pauses->collecting);
	free(pauses->stack);
	free(pauses->pause);
}

const struct analysis_kind analysis_gc_pauses = {
	.name = "gc pauses",
	.state_bytes = sizeof(struct gc_pauses),
	.options_bytes = sizeof(struct gc_pauses_options),
	.start = gc_pauses_start,
	.cut = gc_pauses_cut,
	.release = gc_pauses_release,
};
