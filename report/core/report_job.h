/* SPDX-License-Identifier: MIT */
/*
 * A report in the steps of its life, for whoever has several reports of one reading. What a report is stands in
 * report_kind.h; report_run() does all of this for one.
 *
 *   report_job_open()     the command line against the table's columns; report_job_init() leaves it alone
 *   report_job_want()     the analyses, of a run that others may share
 *   ...                   the run is read
 *   report_job_fill()     rows, totals and the document
 *   report_job_write()    as the request's options ask. Any number of times, or never
 *   report_job_release()  whatever came before; before the run is freed. A second time does nothing
 *
 * The request is the caller's and outlives the job; so does the run. One thread. A job does not move once it is open.
 */
#ifndef REPORT_CORE_REPORT_JOB_H
#define REPORT_CORE_REPORT_JOB_H

#include "report/core/report_kind.h"
#include "report/core/coverage.h"

struct report_job {
	struct report report;
	struct table table;
	struct facts facts;
	struct document document; /* filled */
	struct coverage_text recorded;
	struct why_empty absence;
};

void report_job_init(struct report_job *job, const struct report_kind *kind,
		     struct report_request *request);
/* STATUS_OK, or another with one line in the request's message; to be released all the same. */
int report_job_open(struct report_job *job, const struct report_kind *kind,
		    struct report_request *request);
void report_job_want(struct report_job *job, struct run *run);
void report_job_fill(struct report_job *job);
/* Once request_prepare() has looked at the options. A status; the request may have a message. */
int report_job_write(struct report_job *job);
void report_job_release(struct report_job *job);

#endif
