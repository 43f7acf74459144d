/* SPDX-License-Identifier: MIT */
/*
 * See last_looks.h. A look stands for the time since the one before, so a thread came to a place
 * when it was last seen at another one.
 */
#include "report/stuck/last_looks.h"

#include <stdlib.h>

#include "report/base/memory.h"

#define CPU_PARTS 20u /* a thread that had less than such a part of a CPU stands still */

const struct last_look *last_look_of(const struct last_looks *looks, uint32_t thread)
{
	return thread < looks->look_count && looks->look[thread].thread ? &looks->look[thread]
									: NULL;
}

const struct last_step *last_step_of(const struct last_looks *looks, uint32_t process)
{
	return process < looks->step_count && looks->step[process].process ? &looks->step[process]
									   : NULL;
}

uint64_t last_looks_seen_ns(const struct last_looks *looks, uint32_t process)
{
	return process < looks->seen_count ? looks->seen_ns[process] : 0;
}

static void last_look_move(struct last_look *last, const struct source_event *event)
{
	const struct evt_python_sample *sample = EVENT_AS(python_sample, &event->event);
	uint64_t place = sample_place_key(event, sample->place);
	uint64_t time_ns = event->event.time_ns;
	uint64_t rested_ns = time_ns - (last->thread ? last->time_ns : time_ns);

	if (last->thread && time_ns < last->time_ns)
		return; /* only in a damaged file */
	if (!last->thread)
		last->place_ns = last->still_ns = time_ns;
	else if (place != last->place)
		last->place_ns = last->still_ns = last->time_ns;
	if (sample->cpu_us > rested_ns / 1000 / CPU_PARTS)
		last->still_ns = time_ns;
	last->thread = event->thread;
	last->place = place;
	last->state = sample->state < EVT_PYTHON_STATE_LIMIT ? (enum evt_python_state)sample->state
							     : EVT_PYTHON_WAITS;
	last->call = (uint32_t)sample->call;
	last->holder = last->state == EVT_PYTHON_GIL ? (uint32_t)sample->holder : 0;
	last->owner = (uint32_t)sample->owner;
	last->other_place = sample_place_key(event, last->holder ? sample->holder_place
								 : sample->owner_place);
	last->time_ns = time_ns;
}

static void last_looks_take(void *state, const struct source_event *event, bool counts)
{
	struct last_looks *mine = state;
	uint32_t thread = event->thread->index, process = event->process->index;

	if (!counts)
		return;
	mine->look = memory_room(mine->look, thread, &mine->look_room, sizeof(*mine->look));
	if (mine->look_count <= thread)
		mine->look_count = thread + 1;
	last_look_move(&mine->look[thread], event);
	mine->seen_ns = memory_room(mine->seen_ns, process, &mine->seen_room,
				    sizeof(*mine->seen_ns));
	if (mine->seen_count <= process)
		mine->seen_count = process + 1;
	if (mine->seen_ns[process] < event->event.time_ns)
		mine->seen_ns[process] = event->event.time_ns;
}

static void last_looks_take_step(void *state, const struct source_event *event, bool counts)
{
	struct last_looks *mine = state;
	uint32_t process = event->process->index;
	uint64_t time_ns = event->event.time_ns;
	struct last_step *step;

	if (!counts)
		return;
	mine->step = memory_room(mine->step, process, &mine->step_room, sizeof(*mine->step));
	if (mine->step_count <= process)
		mine->step_count = process + 1;
	step = &mine->step[process];
	if (step->process && time_ns >= step->begin_ns) {
		uint64_t lasted_ns = time_ns - step->begin_ns;

		if (step->ended++ == 1 || lasted_ns > step->longest_ns)
			step->longest_ns = lasted_ns;
	}
	step->process = event->process;
	step->thread = event->thread->index;
	step->number = EVENT_AS(step, &event->event)->number;
	step->begin_ns = time_ns;
}

static void last_looks_start(void *state, struct run *run, const void *options)
{
	(void)options;
	run_reads(run, EVT_python_sample, FIELDS_ALL, last_looks_take, state);
	run_reads(run, EVT_step, FIELD_BIT(step, number), last_looks_take_step, state);
	run_seeks(run, state);
}

static void last_looks_release(void *state)
{
	struct last_looks *mine = state;

	free(mine->look);
	free(mine->step);
	free(mine->seen_ns);
}

const struct analysis_kind analysis_last_looks = {
	.name = "last_looks",
	.state_bytes = sizeof(struct last_looks),
	.options_bytes = sizeof(struct last_looks_options),
	.start = last_looks_start,
	.release = last_looks_release,
};
