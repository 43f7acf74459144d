/* SPDX-License-Identifier: MIT */
/*
 * Decides which of several sessions are ranks of one distributed job. All that fit each other are
 * one job, unless that leaves a choice: if two have the same rank, only facts that name the job
 * decide.
 */
#ifndef REPORT_SESSION_SESSION_JOBS_H
#define REPORT_SESSION_SESSION_JOBS_H

#include <stddef.h>

#include "report/session/sessions.h"

struct session_jobs {
	/* by session: its run, numbered without gaps in the order of their first sessions */
	size_t *run;
	size_t count;
	char **why; /* see struct sessions */
	size_t why_count;
};

/* The caller frees the lists. */
void session_jobs_find(struct session_jobs *jobs, const struct session_group *session,
		       size_t count);

#endif
