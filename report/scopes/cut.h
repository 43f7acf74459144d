/* SPDX-License-Identifier: MIT */
/*
 * Where what is open is not known any longer. Told once to all that follow what begins and ends, so that
 * all of them draw the line at the same place.
 */
#ifndef REPORT_SCOPES_CUT_H
#define REPORT_SCOPES_CUT_H

#include "report/scopes/nest.h"
#include "report/session/source.h"

enum cut_reason {
	CUT_STOPPED, /* recording stopped: it ends here, its own end will not be seen */
	CUT_LOST,    /* events of the thread were lost, ends may be among them */
	CUT_ENDED,   /* the thread, or its process, has ended */
	CUT_LIVE,    /* everything is read and the process runs on: it counts, and adds no time */
};

struct cut {
	enum cut_reason reason;
	uint64_t time_ns;
	const struct source_process *process;
	const struct source_thread *thread; /* NULL: the process itself; comes after its threads */
};

/* Of a cut of a thread. */
static inline struct nest_place cut_place(const struct cut *cut)
{
	return (struct nest_place){ .time_ns = cut->time_ns,
				    .thread = cut->thread ? cut->thread->index : NEST_NONE,
				    .process = cut->process->index };
}

static inline enum nest_ending cut_ending(const struct cut *cut)
{
	return cut->reason == CUT_LIVE ? NEST_RUNS_ON : NEST_CUT;
}

static inline struct nest_place event_place(const struct source_event *event)
{
	const struct evt_role *role = evt_role_of(event->event.id);

	return (struct nest_place){ .time_ns = event->event.time_ns,
				    .thread = event->thread->index,
				    .process = event->process->index,
				    .task = &event->thread->task,
				    .identity = evt_part(&event->event, role->identity),
				    .inside = evt_part(&event->event, role->inside) };
}

#endif
