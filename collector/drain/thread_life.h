/* SPDX-License-Identifier: MIT */
/*
 * How long a thread had lived, and how much CPU time it had used, when it made its first record.
 * Both count from the thread's start, or from the start of its process's recording if that is
 * later. Pure: facts in, two durations out.
 */
#ifndef COLLECTOR_DRAIN_THREAD_LIFE_H
#define COLLECTOR_DRAIN_THREAD_LIFE_H

#include <stdint.h>

#define THREAD_LIFE_UNKNOWN UINT64_MAX

/* All times are of one clock, in ns. */
struct thread_facts {
	uint64_t process_ns; /* recording of the process began */
	uint64_t first_ns;   /* the first record */
	uint64_t born_ns;    /* start of the tick in which the thread began; THREAD_LIFE_UNKNOWN */
	uint64_t tick_ns;    /* the length of a tick, to which born_ns is rounded down */
	uint64_t cpu_ns; /* CPU time at the first record, since the thread's start; 0: unknown */
	/* CPU time when recording of the process began; THREAD_LIFE_UNKNOWN */
	uint64_t before_cpu_ns;
};

struct thread_life {
	uint64_t lived_ns, used_ns; /* lived_ns 0: nothing is known */
};

/*
 * The results are never too long: within its tick, the thread is assumed to have begun at the
 * latest possible moment. If a thread may be older than the recording and its CPU time at that
 * point is unknown, it counts from its first record.
 */
struct thread_life thread_life_of(const struct thread_facts *facts);

#endif
