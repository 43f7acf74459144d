/* SPDX-License-Identifier: MIT */
/*
 * The files of the command line by the sessions that they belong to: what is of several is never added up. A file
 * that cannot be read is taken with the first.
 */
#ifndef REPORT_SESSION_SESSIONS_H
#define REPORT_SESSION_SESSIONS_H

#include <stddef.h>

/* Files that belong together, in the order in which they were named. */
struct session_group {
	char **file; /* borrowed names */
	size_t count;
};

struct sessions {
	struct session_group *group;
	size_t count; /* at least one */
	char **file;
};

void sessions_split(struct sessions *sessions, char *const *file, size_t count);
void sessions_release(struct sessions *sessions);

#endif
