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

/* Adds the wait to the counter of its group, if it has one. */
static void osrt_work_group(const struct osrt_work *mine, const struct source_event *event,
			    const struct wait_told *told, struct work *work)
{
	const struct source_name *name;

	switch (told->kind) {
#define GROUP_OF_OBJECT(object, group)                     \
	case WAIT_OBJECT_##object:                         \
		work->group##_wait_ns = told->duration_ns; \
		return;
#define GROUP_OF_FUNCTION(function, group)
#include "report/osrt/wait_groups.def"
	case WAIT_OBJECT_none:
		break;
	default:
		return;
	}
	name = source_name_of(mine->events.source, event->file, told->function);
#define GROUP_OF_OBJECT(object, group)
#define GROUP_OF_FUNCTION(function, group)   \
	if (source_name_is(name, #function)) \
		work->group##_wait_ns = told->duration_ns;
#include "report/osrt/wait_groups.def"
}

static void osrt_work_take(void *state, const struct source_event *event,
			   const struct wait_told *told, bool counts)
{
	struct work work = { .waits = 1, .wait_ns = told->duration_ns };
	struct osrt_work *mine = state;

	if (told->how != WAIT_ENDED && told->how != WAIT_UNFINISHED)
		return;
	osrt_work_group(mine, event, told, &work);
	works_put(mine->works, event, counts, &work);
}

static void osrt_work_start(void *state, struct run *run, const void *options)
{
	struct osrt_work *mine = state;

	(void)options;
	mine->works = works_provide(run);
	wait_events_start(&mine->events, run, osrt_work_take);
	run_follows(run, mine);
	run_seeks(run, state);
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
