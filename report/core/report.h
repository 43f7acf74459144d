/* SPDX-License-Identifier: MIT */
/*
 * What main() passes to a report: the command line, the source, and where the output goes.
 * report_kind.h says what a report is.
 */
#ifndef REPORT_CORE_REPORT_H
#define REPORT_CORE_REPORT_H

#include "report/table/row_filter.h"
#include "report/table/export.h"
#include "report/core/analysis.h"
#include "report/options/options.h"

/* Exit statuses of prof-report. */
enum report_status {
	STATUS_OK = 0,
	STATUS_INPUT = 1, /* something could not be read or written */
	STATUS_USAGE = 2,
	STATUS_CHECK = 3, /* a condition of --fail-if was met */
};

struct report_request {
	const struct options *options;
	struct source *source;        /* NULL for reports that read the files themselves */
	struct filter_settings scope; /* from the options, completed by the driver */
	struct screen screen;
	char message[512]; /* one line if a report does not return STATUS_OK; may be empty */

	/* made by request_prepare() */
	struct arrangement arrangement;
	struct row_filter *condition;
	size_t shown[COLUMNS_MAX];
	size_t shown_count;
};

/*
 * Checks --sort, --columns and --filter against the table's columns before anything is read.
 * Returns STATUS_OK, or STATUS_USAGE with a message.
 */
int request_prepare(struct report_request *request, const struct table *table);
void request_release(struct report_request *request);
/*
 * Reads the source to its end. If it has no such --range, --thread or --process, the request's
 * message says so. That is no error: the report is still shown.
 */
void request_read(struct report_request *request, struct run *run);
/*
 * Opens a file for writing, with `appends` at its end. It must not be one of the files that were
 * read. Returns its descriptor, or -1 with the request's message.
 */
int request_open_file(struct report_request *request, const char *path, bool appends);
/* Arranges the table and writes the document in the selected format. */
int request_write(struct report_request *request, struct document *document, struct table *table);

#endif
