/* SPDX-License-Identifier: MIT */
/*
 * Threads that the table of `stuck` leaves out for people: those of libraries that wait as they
 * always do, of which a process may have dozens. Such a thread is not its process's loop, has no
 * line of the user's own code, and nobody waits for a lock that it holds.
 *
 * Names are counted. To be used by one thread.
 */
#ifndef REPORT_STUCK_IDLE_THREADS_H
#define REPORT_STUCK_IDLE_THREADS_H

#include "report/stuck/stuck.h"

#define IDLE_NAMES_MAX 4u /* that are told; the others are counted */

struct screen;

struct idle_threads {
	struct idle_name {
		char name[STUCK_NAME_BYTES];
		uint32_t threads;
	} name[IDLE_NAMES_MAX]; /* in the order of their first threads */
	uint32_t threads;       /* of all names */
};

/* True if the thread is such a one. */
bool idle_threads_have(struct stuck *stuck, const struct last_look *look);
void idle_threads_count(struct idle_threads *idle, const struct last_look *look);
/* A sentence about those that were counted, if there are any. */
void idle_threads_say(const struct idle_threads *idle, const struct screen *screen);

#endif
