/* SPDX-License-Identifier: MIT */
/*
 * What stands at the name that is asked for, and how it gets out of the way: a finished file of an earlier run
 * becomes NAME.1, that NAME.2 and so on. Whoever calls holds the lock on the folder (place.c).
 *
 * A file is left where it is while it is written, and while its session has a process: a writer has the lock on its
 * bytes, the other collectors of the session share a lock behind the end of the session's first file, and of
 * processes that are not recorded `lives` knows. Only regular files are moved, and only files of ours removed.
 */
#ifndef COLLECTOR_OUTPUT_ROTATION_H
#define COLLECTOR_OUTPUT_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

struct rotation {
	const char *output;  /* absolute */
	const char *session; /* that asks */
	uint32_t keep;       /* finished files of earlier runs */
	/* Whether a session has a process; `afresh`: now, not at the last question. NULL: nobody knows. */
	bool (*lives)(const char *session, bool afresh);
};

/* Locks a file that was just made, for its writer; and lets it go when it is complete. */
void rotation_lock(int fd);
void rotation_unlock(int fd);

/* Makes `output` free when it may be. */
bool rotation_clear(const struct rotation *rotation);

/*
 * A descriptor whose lock keeps `output` where it is, when that is a file of this session; else -1. For a
 * collector of the session whose own file is another.
 */
int rotation_guard(const struct rotation *rotation);

/*
 * Once the file of this run, `bytes` long, is complete: removes what is more than is to be kept, the oldest first. But a
 * large one does not give way to one of a fraction of its size, be that the new one or one that is kept. Their sessions
 * were over when they were moved: `lives` need not be asked again.
 */
void rotation_prune(const struct rotation *rotation, uint64_t bytes);

#endif
