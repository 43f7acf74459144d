/* SPDX-License-Identifier: MIT */
/*
 * The session of a process that was given none: Go reads its environment from the stack that the kernel made and
 * static programs know nothing of us, so that their children get LD_PRELOAD but not INTERCEPT_SESSION.
 *
 * The parents are followed for as long as they were started with us preloaded. The first that was given a session has
 * told it; else the last of them has begun it, and its id follows from that process (collector/region/session_id.h).
 *
 * In the constructor. System calls and memory on the stack; nothing is kept open. Without /proc, or where it does not
 * show other processes, there is nothing to find.
 */
#ifndef PRELOAD_LIFE_LINEAGE_H
#define PRELOAD_LIFE_LINEAGE_H

#include <stdbool.h>

#include "collector/region/region.h"
#include "collector/region/session_id.h"

struct lineage {
	char id[SESSION_ID_BYTES]; /* of the session that `pid` has begun, "" when it cannot be known */
	long pid;                  /* the parent that has begun it, or this process itself */
	bool own;                  /* this process itself */
	bool aware; /* that parent loads us: it is a static program, or of another kind, if not */
	char told[REGION_TEXT_BYTES + REGION_PATH_BYTES +
		  32]; /* a parent's INTERCEPT_SESSION, or "" */
};

/* `library`: our file's name without its folder, as LD_PRELOAD and /proc/PID/maps have it at their end. */
void lineage_find(const char *library, struct lineage *ret_lineage);

#endif
