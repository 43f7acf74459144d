/* SPDX-License-Identifier: MIT */
/*
 * A report in separate steps, for callers that make several reports from one reading. report_kind.h
 * says what a report is; report_run() does all steps for one report.
 *
 *   report_job_open()     checks the command line against the table's columns; init() does not
 *   report_job_want()     wants the analyses, of a run that others may share
 *   ...                   the run is read
 *   report_job_fill()     makes rows, totals and the document
 *   report_job_write()    writes them as the request's options ask; any number of times, or never
 *   report_job_release()  may follow any step, before the run is freed; a second call does nothing
 *
 * The caller owns the request, which must outlive the job, and so must the run. To be used by one
 * thread. A job must not be moved once it is open.
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
/*
 * Returns STATUS_OK, or another status with one line in the request's message. The job must be
 * released in either case.
 */
int report_job_open(struct report_job *job, const struct report_kind *kind,
		    struct report_request *request);
void report_job_want(struct report_job *job, struct run *run);
void report_job_fill(struct report_job *job);
/*
 * To be called after request_prepare() has checked the options. Returns a status; the request may
 * have a message.
 */
int report_job_write(struct report_job *job);
void report_job_release(struct report_job *job);

#endif
