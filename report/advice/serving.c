/* SPDX-License-Identifier: MIT */
/* Each row's place is looked up once, since several rules read all rows. */
#include "report/advice/serving.h"

#include <stdlib.h>

#include "report/advice/bottleneck.h"
#include "report/base/memory.h"

/* When the first process began to serve; 0: none did. */
static uint64_t serving_since(const struct wait_looks *looks)
{
	uint64_t since_ns = 0, of_ns;

	for (size_t i = 0; i < looks->serving.process_room; i++) {
		of_ns = serving_time_since(&looks->serving, (uint32_t)i);
		if (of_ns && (!since_ns || of_ns < since_ns))
			since_ns = of_ns;
	}
	return since_ns;
}

static void serving_thread_add(struct serving_thread *thread, const struct wait_row *row,
			       const struct wait_place *place)
{
	thread->all_ns += row->ns;
	thread->is_loop |= place->is_in_loop;
	if (row->look.state == EVT_PYTHON_RUNS)
		thread->runs_ns += row->ns;
	if (row->look.state == EVT_PYTHON_READY)
		thread->ready_ns += row->ns;
	if (row->look.state == EVT_PYTHON_GIL)
		thread->gil_ns += row->ns;
	if (!place->is_in_pool)
		return;
	thread->pool_ns += row->ns;
	if (!place->is_in_task)
		return;
	thread->task_ns += row->ns;
	if (wait_is_one(row->look.state))
		thread->task_waits_ns += row->ns;
}

void serving_look(struct serving *serving, const struct bottleneck *bottleneck)
{
	const struct wait_looks *looks = bottleneck->waits;
	struct own own;

	*serving = (struct serving){ .since_ns = serving_since(looks) };
	serving->is_server = serving->since_ns && !bottleneck->steps->time.count;
	if (!serving->is_server)
		return;
	serving->has_clients = looks->has_clients;
	serving->thread_count = looks->thread_room;
	serving->end_ns = serving_time_ends(&looks->serving) ? looks->serving.last_ns
							     : bottleneck->wall_ns;
	if (serving->end_ns > serving->since_ns)
		serving->ns = serving->end_ns - serving->since_ns;
	serving->place = memory_zero(looks->row_count + 1, sizeof(*serving->place));
	serving->thread = memory_zero(looks->thread_room + 1, sizeof(*serving->thread));
	thread_chains_make(&serving->chains, looks->thread, looks->thread_room);
	own_places_init(&own, looks->samples, bottleneck->source, run_options(bottleneck->run));
	for (size_t i = 0; i < looks->row_count; i++) {
		const struct wait_row *row = &looks->row[i];

		wait_place_look(looks->samples, &own, row->look.place, &serving->place[i]);
		if (serving_has(row))
			serving_thread_add(&serving->thread[row->look.thread], row,
					   &serving->place[i]);
	}
	own_release(&own);
}

void serving_release(struct serving *serving)
{
	free(serving->place);
	free(serving->thread);
	thread_chains_release(&serving->chains);
	*serving = (struct serving){ 0 };
}
