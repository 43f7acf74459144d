/* SPDX-License-Identifier: MIT */
/*
 * What threads allocate, as counters of core/work.h. If no other analysis reads the heap, events
 * are only added up.
 */
#include "report/core/work.h"

static void heap_work_take_born(void *state, const struct source_event *event, bool counts)
{
	struct works *works = ((struct work_provider *)state)->works;
	struct work *thread = works_at_thread(works, event, counts);
	struct work *process = works_at_process(works, event, counts);
	uint64_t bytes = EVENT_AS(malloc, &event->event)->size; /* the four have the same fields */

	thread->allocations++;
	thread->bytes_allocated += bytes;
	process->allocations++;
	process->bytes_allocated += bytes;
}

static void heap_work_start(void *state, struct run *run, const void *options)
{
	static const enum evt_id born[] = { EVT_malloc, EVT_calloc, EVT_realloc, EVT_memalign };
	struct work_provider *mine = state;

	(void)options;
	mine->works = works_provide(run);
	works_take_sums(mine->works, WORK_allocations, WORK_bytes_allocated);
	for (size_t i = 0; i < sizeof(born) / sizeof(born[0]); i++)
		run_sums(run, born[i], FIELD_BIT(malloc, size), heap_work_take_born, mine);
	run_follows(run, mine);
}

const struct analysis_kind analysis_heap_work = {
	.name = "heap work",
	.state_bytes = sizeof(struct work_provider),
	.start = heap_work_start,
};
