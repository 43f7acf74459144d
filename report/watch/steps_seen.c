/* SPDX-License-Identifier: MIT */
/* How many steps have ended, and how long the last one took. Report steps has everything else. */
#include "report/watch/follower.h"

#include <stdlib.h>

static void steps_seen_take_step(void *state, const struct source_event *event, bool counts)
{
	struct steps_seen *seen = state;
	const struct evt_step *step = EVENT_AS(step, &event->event);
	uint32_t index = event->process->index;
	struct step_process *process;

	(void)counts;
	seen->process = memory_room(seen->process, index, &seen->process_room,
				    sizeof(*seen->process));
	process = &seen->process[index];
	if (process->has_steps) {
		seen->count++;
		seen->last_ns = event->event.time_ns - process->begun_ns;
	} else {
		seen->processes++;
	}
	process->has_steps = true;
	process->begun_ns = event->event.time_ns;
	if (step->number > seen->last_number)
		seen->last_number = step->number;
}

static void steps_seen_start(void *state, struct run *run, const void *options)
{
	(void)options;
	run_reads(run, EVT_step, FIELD_BIT(step, number), steps_seen_take_step, state);
}

static void steps_seen_release(void *state)
{
	struct steps_seen *seen = state;

	free(seen->process);
}

const struct analysis_kind analysis_steps_seen = {
	.name = "steps_seen",
	.state_bytes = sizeof(struct steps_seen),
	.options_bytes = sizeof(struct steps_seen_options),
	.start = steps_seen_start,
	.release = steps_seen_release,
};
