/* SPDX-License-Identifier: MIT */
/*
 * What main() hands to a report: the command line, the source, the way out. What a report is stands in
 * report_kind.h.
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
	STATUS_CHECK = 3, /* a condition of --fail-if is met */
};

struct report_request {
	const struct options *options;
	struct source *source;        /* NULL for reports that read the files themselves */
	struct filter_settings scope; /* the options', completed by the driver */
	struct screen screen;
	char message[512]; /* one line when a report does not return STATUS_OK; may be empty */

	/* made by request_prepare() */
	struct arrangement arrangement;
	struct row_filter *condition;
	size_t shown[COLUMNS_MAX];
	size_t shown_count;
};

/*
 * Checks --sort, --columns and --filter against the table's columns before anything is read.
 * STATUS_OK or STATUS_USAGE with a message.
 */
int request_prepare(struct report_request *request, const struct table *table);
void request_release(struct report_request *request);
/*
 * Reads the source to its end; a --range, --thread or --process that it does not have is said in the
 * request's message, which is no error: the report is shown all the same.
 */
void request_read(struct report_request *request, struct run *run);
/*
 * A file to be written anew, or with `appends` at its end, which is none of those that were read. Its descriptor, or -1 with
 * the request's message.
 */
int request_open_file(struct report_request *request, const char *path, bool appends);
/* Arranges the table and writes the document in the format asked for. */
int request_write(struct report_request *request, struct document *document, struct table *table);

#endif
