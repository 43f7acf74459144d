/* SPDX-License-Identifier: MIT */
/*
 * Reads whatever tells of a wait of the operating system: the events of family osrt and, where
 * input and output was recorded as well, its reads, writes and polls of sockets, pipes and other
 * descriptors. Regular files are no waits. To be the first member of an analysis' state.
 */
#ifndef REPORT_OSRT_WAIT_EVENTS_H
#define REPORT_OSRT_WAIT_EVENTS_H

#include "report/core/analysis.h"
#include "report/osrt/wait_objects.h"

enum wait_how {
	WAIT_ENDED,
	WAIT_SHORT,      /* `calls` that were too short for a record: since the last such event */
	WAIT_GOES_ON,    /* it has not ended so far; WAIT_ENDED or WAIT_UNFINISHED may follow */
	WAIT_UNFINISHED, /* its process ended */
};

/* One wait, whatever event tells of it. */
struct wait_told {
	enum wait_how how;
	uint64_t function; /* id of the name in the event's file */
	uint64_t kind, object, owner, duration_ns;
	uint64_t caller; /* return address of one that goes on, or is unfinished; 0: not known */
	uint64_t calls;  /* 1, except of WAIT_SHORT */
	bool failed;
};

typedef void wait_take(void *state, const struct source_event *event, const struct wait_told *told,
		       bool counts);

struct wait_events {
	struct source *source;
	struct wait_objects objects;
	wait_take *take;
};

/* For start(): `events` is the analysis' state. */
void wait_events_start(struct wait_events *events, struct run *run, wait_take *take);
/* Without calls of family io that ended, of which there may be many: for who asks what goes on. */
void wait_events_start_open(struct wait_events *events, struct run *run, wait_take *take);
void wait_events_lose(struct wait_events *events, const struct source_process *process);
void wait_events_release(struct wait_events *events);

#endif
