/* SPDX-License-Identifier: MIT */
/*
 * The key `step`: the number of the step that is under way in the process of an event, on whichever
 * thread. A key is process + 1 in the upper half, and the step's number + 1 in the lower half. 0
 * there means that no step was marked yet; that is shown as step 0 if the first marked step is step
 * 1.
 */
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/core/key.h"

#define NO_STEP 0u

struct step_of_process {
	uint64_t now, first; /* numbers + 1; 0: none yet */
};

struct step_now {
	struct step_of_process *process; /* by index */
	size_t room;
};

static void step_key_take_mark(void *state, const struct source_event *event, bool counts)
{
	uint64_t number = EVENT_AS(step, &event->event)->number;
	struct step_now *mine = state;
	struct step_of_process *process;

	(void)counts;
	mine->process = memory_room(mine->process, event->process->index, &mine->room,
				    sizeof(*mine->process));
	process = &mine->process[event->process->index];
	process->now = number < UINT32_MAX ? number + 1 : UINT32_MAX;
	if (!process->first)
		process->first = process->now;
}

static void now_start(void *state, struct run *run, const void *options)
{
	(void)options;
	run_reads(run, EVT_step, FIELD_BIT(step, number), step_key_take_mark, state);
	run_seeks(run, state);
}

static void now_release(void *state)
{
	free(((struct step_now *)state)->process);
}

static const struct analysis_kind analysis_step_now = {
	.name = "step under way",
	.state_bytes = sizeof(struct step_now),
	.start = now_start,
	.release = now_release,
};

static const void *step_key_key_start(struct run *run)
{
	return run_want(run, &analysis_step_now, NULL);
}

static uint64_t step_key_key_of_event(const void *state, const struct source_event *event)
{
	const struct step_now *mine = state;
	uint32_t process = event->process->index;

	return (uint64_t)(process + 1) << 32 |
	       (process < mine->room ? mine->process[process].now : 0);
}

static uint64_t key_settle_step(const void *state, uint64_t key)
{
	const struct step_now *mine = state;
	uint64_t process = (key >> 32) - 1;

	if ((uint32_t)key || !(key >> 32))
		return (uint32_t)key;
	return process < mine->room && mine->process[process].first == 2 ? 1 : NO_STEP;
}

static void key_put_step(const void *state, uint64_t key, struct table *table,
			 const enum column_id *column)
{
	(void)state;
	if (key != NO_STEP)
		table_set_number(table, column[0], key - 1);
}

const struct key_kind key_kind_step = {
	.name = "step",
	.start = step_key_key_start,
	.of = step_key_key_of_event,
	.put = key_put_step,
	.settle = key_settle_step,
};
