/* SPDX-License-Identifier: MIT */
/* The one driver of all reports. The command line is checked before anything is read. */
#include "report/core/report_job.h"

#include "report/core/clocks.h"
#include "report/core/lookahead.h"

static int report_read(struct report_job *job, struct report_request *request)
{
	struct run *run;
	int status;

	if (job->report.kind->read_source)
		return job->report.kind->read_source(request);
	run = run_new(request->source, &request->scope);
	run_set_options(run, request->options);
	report_job_want(job, run);
	request_read(request, run);
	report_job_fill(job);
	status = report_job_write(job);
	report_job_release(job);
	run_free(run);
	return status;
}

/* Also completes options that need a first reading, before the report's own. */
static int report_read_ahead(struct report_job *job, struct report_request *request)
{
	const struct options *options = request->options;
	struct windows windows = { .count = 0 };
	int status = STATUS_USAGE;

	request->scope = options->scope;
	clocks_correct(request->source);
	if (!lookahead_is_needed(&request->scope) ||
	    !lookahead_complete(&request->scope, &windows, request->source, options->file,
				options->file_count, request->message, sizeof(request->message)))
		status = report_read(job, request);
	windows_release(&windows);
	return status;
}

int report_run(const struct report_kind *kind, struct report_request *request)
{
	struct report_job job;
	int status;

	if (kind->read_files)
		return kind->read_files(request);
	status = report_job_open(&job, kind, request);
	if (!status)
		status = report_read_ahead(&job, request);
	report_job_release(&job);
	return status;
}
