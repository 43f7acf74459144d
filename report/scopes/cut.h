/* SPDX-License-Identifier: MIT */
/*
 * Cuts: times from which it is not known any more what is open. Each cut is reported once to all
 * analyses that follow begins and ends, so that all of them cut at the same place.
 */
#ifndef REPORT_SCOPES_CUT_H
#define REPORT_SCOPES_CUT_H

#include "report/scopes/nest.h"
#include "report/session/source.h"

enum cut_reason {
	/* recording stopped: scopes end here, because their own ends will not be seen */
	CUT_STOPPED,
	CUT_LOST,  /* events of the thread were lost, perhaps ends among them */
	CUT_ENDED, /* the thread or its process has ended */
	/* everything is read and the process still runs: an open scope counts and adds no time */
	CUT_LIVE,
};

struct cut {
	enum cut_reason reason;
	uint64_t time_ns;
	const struct source_process *process;
	const struct source_thread *thread; /* NULL: the process itself, after its threads */
};

/* Returns the place of a thread's cut. */
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
