/* SPDX-License-Identifier: MIT */
/*
 * What threads allocate, as counters of core/work.h. If no other analysis reads the heap, events
 * are only added up.
 */
#include "report/core/work.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/heap/weight.h"

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

/* Fractions of blocks that threads have too much: see weight.h. Begins as work_provider. */
struct heap_work {
	struct work_provider provider;
	uint64_t from_ns;   /* what was done between two moments is only asked for from then on */
	uint16_t *fraction; /* by thread */
	size_t room;
};

static void heap_work_take_sampled(void *state, const struct source_event *event, bool counts)
{
	struct heap_work *mine = state;
	const struct evt_heap_sampled *born = EVENT_AS(heap_sampled, &event->event);
	struct weight weight = weight_of(born->size, born->every);
	struct work *thread = works_at_thread(mine->provider.works, event, counts);
	struct work *process = works_at_process(mine->provider.works, event, counts);
	uint32_t index = event->thread->index;
	uint64_t blocks = 0;

	if (event->event.time_ns < mine->from_ns)
		return; /* so that fractions are the same wherever reading began */
	if (index >= mine->room)
		mine->fraction = memory_room(mine->fraction, index, &mine->room,
					     sizeof(*mine->fraction));
	weight_count(&blocks, &mine->fraction[index], weight.blocks);
	thread->allocations += blocks;
	thread->bytes_allocated += weight.bytes;
	process->allocations += blocks;
	process->bytes_allocated += weight.bytes;
}

static void heap_work_start(void *state, struct run *run, const void *options)
{
	static const enum evt_id born[] = { EVT_malloc, EVT_calloc, EVT_realloc, EVT_memalign };
	struct work_provider *mine = state;

	(void)options;
	mine->works = works_provide(run);
	((struct heap_work *)state)->from_ns = run_filters(run)->settings.from_ns;
	works_take_sums(mine->works, WORK_allocations, WORK_bytes_allocated);
	for (size_t i = 0; i < sizeof(born) / sizeof(born[0]); i++)
		run_sums(run, born[i], FIELD_BIT(malloc, size), heap_work_take_born, mine);
	run_reads(run, EVT_heap_sampled,
		  FIELD_BIT(heap_sampled, size) | FIELD_BIT(heap_sampled, every),
		  heap_work_take_sampled, mine);
	run_follows(run, mine);
	run_seeks(run, state);
}

static void heap_work_release(void *state)
{
	free(((struct heap_work *)state)->fraction);
}

const struct analysis_kind analysis_heap_work = {
	.name = "heap work",
	.state_bytes = sizeof(struct heap_work),
	.start = heap_work_start,
	.release = heap_work_release,
};
