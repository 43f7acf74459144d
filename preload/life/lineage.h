/* SPDX-License-Identifier: MIT */
/*
 * Finds the session of a process that was given none. Go reads its environment from the stack that
 * the kernel made, and static programs do not load us. So their children get LD_PRELOAD, but not
 * INTERCEPT_SESSION.
 *
 * The chain of parents is followed as long as they were started with us preloaded. If a parent was
 * given a session, that is the session. Else the last parent of the chain has begun it, and its id
 * follows from that process (collector/region/session_id.h).
 *
 * Call in the constructor. Uses system calls and memory on the stack; keeps nothing open. Without
 * /proc, or if /proc hides other processes, nothing is found.
 */
#ifndef PRELOAD_LIFE_LINEAGE_H
#define PRELOAD_LIFE_LINEAGE_H

#include <stdbool.h>

#include "collector/region/region.h"
#include "collector/region/session_id.h"

struct lineage {
	/* id of the session that `pid` has begun; "" if it cannot be known */
	char id[SESSION_ID_BYTES];
	/* the parent that has begun the session, or this process itself */
	long pid;
	bool own;   /* this process itself */
	bool aware; /* that parent loads us; false for a static or otherwise different program */
	char told[REGION_TEXT_BYTES + REGION_PATH_BYTES +
		  32]; /* a parent's INTERCEPT_SESSION, or "" */
};

/*
 * `library` is the name of our file without its directory, as it ends LD_PRELOAD and lines of
 * /proc/PID/maps.
 */
void lineage_find(const char *library, struct lineage *ret_lineage);

#endif
