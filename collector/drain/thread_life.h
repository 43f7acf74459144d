/* SPDX-License-Identifier: MIT */
/*
 * How long a thread had lived, and how much CPU time it had used, when it made its first record. Both count from the thread's start,
 * or from where the recording of its process began if that is later. Pure: facts in, two durations out.
 */
#ifndef COLLECTOR_DRAIN_THREAD_LIFE_H
#define COLLECTOR_DRAIN_THREAD_LIFE_H

#include <stdint.h>

#define THREAD_LIFE_UNKNOWN UINT64_MAX

/* Times are of one clock, in ns. */
struct thread_facts {
	uint64_t process_ns; /* recording of the process began */
	uint64_t first_ns;   /* the first record */
	uint64_t born_ns;    /* the thread began in the tick from here on; THREAD_LIFE_UNKNOWN */
	uint64_t tick_ns;    /* what born_ns is rounded down to */
	uint64_t cpu_ns; /* CPU time at the first record, since the thread's start; 0: unknown */
	uint64_t
		before_cpu_ns; /* CPU time where recording of the process began; THREAD_LIFE_UNKNOWN */
};

struct thread_life {
	uint64_t lived_ns, used_ns; /* lived_ns 0: nothing is known */
};

/*
 * Never longer than it was: where the thread began within a tick, it is the latest moment that is possible. A thread that may be
 * older than the recording, and whose CPU time then is not known, counts from its first record.
 */
struct thread_life thread_life_of(const struct thread_facts *facts);

#endif
