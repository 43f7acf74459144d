/* SPDX-License-Identifier: MIT */
/*
 * Counts the waits of threads for core/work.h: a wait counts when it returns, and at the end of its
 * process if it does not. Short calls do not count.
 */
#include "report/core/work.h"
#include "report/osrt/wait_events.h"

struct osrt_work {
	struct wait_events events; /* must be first */
	struct works *works;
};

static void osrt_work_take(void *state, const struct source_event *event,
			   const struct wait_told *told, bool counts)
{
	if (told->how == WAIT_ENDED || told->how == WAIT_UNFINISHED)
		works_put(((struct osrt_work *)state)->works, event, counts,
			  &(struct work){ .waits = 1, .wait_ns = told->duration_ns });
}

static void osrt_work_start(void *state, struct run *run, const void *options)
{
	struct osrt_work *mine = state;

	(void)options;
	mine->works = works_provide(run);
	wait_events_start(&mine->events, run, osrt_work_take);
	run_follows(run, mine);
}

static void osrt_work_lose(void *state, const struct source_process *process)
{
	wait_events_lose(state, process);
}

static void osrt_work_release(void *state)
{
	wait_events_release(state);
}

const struct analysis_kind analysis_osrt_work = {
	.name = "osrt work",
	.state_bytes = sizeof(struct osrt_work),
	.start = osrt_work_start,
	.lose = osrt_work_lose,
	.release = osrt_work_release,
};
