/* SPDX-License-Identifier: MIT */
/*
 * Groups the files of the command line by the runs that they belong to, because figures of
 * different runs are never added up. A run is a session, or all sessions that are ranks of one
 * distributed job (job.h). A file that cannot be read belongs to the first run.
 */
#ifndef REPORT_SESSION_SESSIONS_H
#define REPORT_SESSION_SESSIONS_H

#include <stddef.h>

/* Files that belong together, in the order in which they were named. */
struct session_group {
	char **file; /* names, borrowed */
	size_t count;
};

struct sessions {
	struct session_group *group;
	size_t count; /* at least one */
	char **file;
	char **why; /* a line for each run of ranks that is not part of the job before it; owned */
	size_t why_count;
};

void sessions_split(struct sessions *sessions, char *const *file, size_t count);
/* Prints on stderr why ranks were not joined. */
void sessions_say_why(const struct sessions *sessions);
void sessions_release(struct sessions *sessions);

#endif
