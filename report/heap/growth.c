/* SPDX-License-Identifier: MIT */
/* What lives on the heap, from step to step: see growth.h. */
#include "report/heap/growth.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/heap/heap_events.h"

void growth_look_release(struct growth_look *look)
{
	free(look->part);
	*look = (struct growth_look){ 0 };
}

static struct growth_process *growth_process_of(struct growth *growth, uint32_t index)
{
	growth->process = memory_room(growth->process, index, &growth->room,
				      sizeof(*growth->process));
	if (!growth->process[index]) {
		growth->process[index] = memory_zero(1, sizeof(**growth->process));
		growth->process[index]->every = 1;
	}
	return growth->process[index];
}

/* Adds the parts of an earlier look to a later one, which counts where both have a row. */
void growth_look_join(struct growth *growth, struct growth_look *later, struct growth_look *earlier)
{
	uint32_t join = ++growth->joins;

	for (size_t i = 0; i < later->count; i++) {
		growth->mark = memory_room(growth->mark, later->part[i].row, &growth->mark_room,
					   sizeof(*growth->mark));
		growth->mark[later->part[i].row] = join;
	}
	if (earlier->count)
		later->part = memory_grow(later->part, later->count + earlier->count,
					  sizeof(*later->part));
	for (size_t i = 0; i < earlier->count; i++) {
		uint32_t row = earlier->part[i].row;

		if (row >= growth->mark_room || growth->mark[row] != join)
			later->part[later->count++] = earlier->part[i];
	}
	growth_look_release(earlier);
}

/* Drops every second look of the process, now and from here on. */
static void process_thin(struct growth *growth, struct growth_process *process)
{
	size_t kept = 0;

	for (size_t i = 0; i < process->looks; i++) {
		struct growth_look *look = &process->look[i];

		if (look->step % (2 * process->every)) {
			growth_look_join(growth, look, &process->forgotten);
			process->forgotten = *look;
			continue;
		}
		growth_look_join(growth, look, &process->forgotten);
		process->look[kept++] = *look;
	}
	for (size_t i = kept; i < process->looks; i++)
		process->look[i] = (struct growth_look){ 0 };
	process->looks = kept;
	process->every *= 2;
}

void growth_look_take(struct growth *growth, struct growth_look *look, uint32_t process)
{
	const uint32_t *row;
	size_t count = heap_take_changes(growth->heap, process, &row);

	if (count)
		look->part = memory_grow(look->part, look->count + count, sizeof(*look->part));
	for (size_t i = 0; i < count; i++)
		look->part[look->count++] = (struct growth_part){
			row[i], growth->heap->row[row[i]].live_bytes
		};
}

static void growth_take_step(void *state, const struct source_event *event, bool counts)
{
	struct growth *growth = state;
	uint32_t index = event->process->index;
	struct growth_process *process = growth_process_of(growth, index);
	struct growth_look *look;
	uint64_t step;

	if (!counts && event->event.time_ns >= growth->to_ns)
		return; /* the heap is that of the end of --time */
	if (!detail_is_unbroken(growth->detail, index))
		return;
	step = process->steps++;
	if (growth->whole.looks) /* they consumed the changes */
		heap_change_live(growth->heap);
	growth_whole_release(growth);
	growth->heap->look_due = HEAP_NO_LOOK;
	growth->steps = process->steps > growth->steps ? process->steps : growth->steps;
	if (step % process->every)
		return;
	if (process->looks == GROWTH_LOOKS)
		process_thin(growth, process);
	if (step % process->every)
		return;
	look = &process->look[process->looks++];
	*look = (struct growth_look){ .step = step, .time_ns = event->event.time_ns };
	growth_look_take(growth, look, index);
	growth_look_join(growth, look, &process->forgotten);
}

static void growth_take_teardown(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	((struct growth *)state)->done_ns = event->event.time_ns;
}

static void growth_start(void *state, struct run *run, const void *options)
{
	const struct growth_options *asked = options;
	struct growth *growth = state;

	growth->heap = heap_want(run, &(struct heap_options){ BY_alloc_stack, asked->of });
	heap_keep_changes(growth->heap);
	growth->detail = run_detail(run);
	growth->to_ns = run_filters(run)->settings.to_ns;
	run_reads(run, EVT_step, 0, growth_take_step, growth);
	run_reads(run, EVT_teardown_begin, 0, growth_take_teardown, growth);
	growth_whole_start(growth);
	run_seeks(run, state);
}

static void growth_end(void *state)
{
	struct growth *growth = state;

	for (size_t i = 0; i < growth->room; i++) {
		for (size_t k = 0; growth->process[i] && k < GROWTH_LOOKS; k++)
			growth_look_release(&growth->process[i]->look[k]);
		if (growth->process[i])
			growth_look_release(&growth->process[i]->forgotten);
		free(growth->process[i]);
	}
	growth_whole_release(growth);
	free(growth->process);
	free(growth->mark);
}

const struct analysis_kind analysis_growth = {
	.name = "growth",
	.state_bytes = sizeof(struct growth),
	.options_bytes = sizeof(struct growth_options),
	.start = growth_start,
	.release = growth_end,
};

uint64_t growth_steps(const struct growth *growth)
{
	return growth->steps;
}
