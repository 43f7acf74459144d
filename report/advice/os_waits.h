/* SPDX-License-Identifier: MIT */
/*
 * What threads of a program without Python waited for, by the waits of the operating system that
 * were recorded (INTERCEPT_TRACE=+osrt): locks, sleeps, children, descriptors. Waits that are no
 * cause by themselves are left out: those for another thread's end, for conditions, for any of
 * several descriptors, for connections. Memory grows with threads, functions and objects. One
 * thread.
 */
#ifndef REPORT_ADVICE_OS_WAITS_H
#define REPORT_ADVICE_OS_WAITS_H

#include "report/base/groups.h"
#include "report/core/analysis.h"
#include "report/osrt/wait_events.h"

/* Words of a group's key. Locks have no function: a thread has one group for each lock. */
enum { OS_WAITS_THREAD, OS_WAITS_FUNCTION, OS_WAITS_KIND, OS_WAITS_OBJECT, OS_WAITS_IS_MAIN };

struct os_waits {
	struct wait_events events; /* must be first */
	struct groups groups;
};

struct os_waits_options {
	uint32_t none;
};
ANALYSIS(os_waits, struct os_waits)

/* A lock, and what the threads that waited for it lost. */
struct os_waits_lock {
	const char *word; /* "mutex" */
	uint64_t ns, calls;
	unsigned int threads;
};

/* Whether the function, a name of the source, waits for any of several descriptors. */
bool os_waits_is_for_any(const struct os_waits *waits, uint32_t function);
/* The lock with most time. Returns false if no thread waited for one. */
bool os_waits_find_lock(const struct os_waits *waits, struct os_waits_lock *ret_lock);
/* The group of the main thread with most time, of another kind; NULL: there is none. */
const struct group *os_waits_main(const struct os_waits *waits);

#endif
