/* SPDX-License-Identifier: MIT */
/*
 * What stands still of a session that is watched: the verdict of report stuck. The files are read
 * for it once more, as a whole, only while nothing moves: no step has ended within the window, or
 * next to no CPU time was used. That costs a twentieth of the time at most. One thread.
 */
#ifndef REPORT_WATCH_WATCH_STUCK_H
#define REPORT_WATCH_WATCH_STUCK_H

#include "report/options/options.h"
#include "report/watch/watched.h"

struct watch_stuck {
	const struct options *options;
	uint64_t next_ns; /* CLOCK_MONOTONIC: not before */
	char *verdict;    /* owned; NULL: nothing is stuck, as far as is known */
};

/* After watched_look(). */
void watch_stuck_look(struct watch_stuck *stuck, const struct watched *watched);
void watch_stuck_release(struct watch_stuck *stuck);

#endif
