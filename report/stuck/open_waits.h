/* SPDX-License-Identifier: MIT */
/*
 * The call of the operating system that each thread has not returned from, by family osrt, or by
 * family io at the end of its process: which function, for what, and who holds the mutex.
 *
 * Known of calls of a second or more. Memory grows with threads. To be used by one thread.
 */
#ifndef REPORT_STUCK_OPEN_WAITS_H
#define REPORT_STUCK_OPEN_WAITS_H

#include "report/osrt/wait_events.h"

struct open_wait {
	const struct source_thread *thread; /* NULL: it is in no such call */
	uint32_t function;                  /* an index of the source */
	uint32_t object;                    /* of `objects`; 0: none */
	uint32_t kind;                      /* enum wait_object_kind */
	uint32_t owner; /* tid of the thread that had the mutex, or the write lock; 0: not known */
	uint64_t begin_ns;
	uint64_t seen_ns; /* when it was known to go on */
	uint64_t caller;  /* return address; 0: not known */
};

struct open_waits {
	struct wait_events events; /* the first member, as wait_events.h has it */
	struct open_wait *wait;    /* by thread */
	size_t count, room;
};

struct open_waits_options {
	uint32_t none;
};
ANALYSIS(open_waits, struct open_waits)

/* NULL: it is in no call, or that is not known. */
const struct open_wait *open_wait_of(const struct open_waits *waits, uint32_t thread);

#define OPEN_WAIT_BYTES 160u
/* "pthread_cond_wait", "read of pipe:[4711]" */
const char *open_wait_text(const struct open_waits *waits, const struct open_wait *wait,
			   char text[OPEN_WAIT_BYTES]);
/* "the mutex 0x55d0c9a1e0a0": what is at the address that it waits for; "a lock": not known. */
const char *open_wait_lock(const struct open_waits *waits, const struct open_wait *wait,
			   char text[OPEN_WAIT_BYTES]);

#endif
