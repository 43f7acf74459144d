/* SPDX-License-Identifier: MIT */
/*
 * Running, runnable or blocked: what the scheduler counts for each thread (/proc/PID/task/TID/schedstat, and the
 * context switches of its status), as thread_sched events.
 *
 * A look is every SCHED_NS at SCHED_VISITS threads at most, in turns: with more threads each is seen less often,
 * at the same cost. Threads of another pid namespace, and all where /proc is not there, are left out. One thread.
 */
#ifndef COLLECTOR_DRAIN_SCHED_H
#define COLLECTOR_DRAIN_SCHED_H

#include <stdint.h>

#include "collector/drain/streams.h"

#define SCHED_NS 100000000u
#define SCHED_VISITS 64u       /* about 10 us each */
#define SCHED_STATUS_LOOKS 10u /* of a thread, from one reading of its status to the next */
#define SCHED_LAST_MAX 256u    /* threads of a process that are looked at when it ends */

struct sched_look {
	uint64_t looked_ns; /* steady */
	uint32_t visit;     /* where the next look goes on */
};

/* When it is time. */
void sched_look(struct sched_look *look, struct streams *streams, struct common *common,
		uint64_t steady_ns);

/* A process that is leaving, before it is gone. */
void sched_tell_last(struct streams *streams, struct common *common, const struct process *process,
		     uint64_t now_ns);

#endif
