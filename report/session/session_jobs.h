/* SPDX-License-Identifier: MIT */
/*
 * Which of several sessions are ranks of one distributed job. All that fit each other are one, unless that leaves a
 * choice: where two have the same rank, only facts that name the job decide.
 */
#ifndef REPORT_SESSION_SESSION_JOBS_H
#define REPORT_SESSION_SESSION_JOBS_H

#include <stddef.h>

#include "report/session/sessions.h"

struct session_jobs {
	size_t *run; /* by session: its run, dense, in the order of their first sessions */
	size_t count;
	char **why; /* see struct sessions */
	size_t why_count;
};

/* The lists are the caller's to free. */
void session_jobs_find(struct session_jobs *jobs, const struct session_group *session,
		       size_t count);

#endif
