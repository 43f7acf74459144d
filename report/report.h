/* SPDX-License-Identifier: MIT */
/*
 * What main() hands to a report, and what the reports share. A report makes a table, reads the model,
 * fills rows and writes the document; it parses no bytes and knows no format.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "report/condition.h"
#include "report/export.h"
#include "report/model.h"
#include "report/options.h"

/* Exit statuses of prof-report. */
enum report_status {
	STATUS_OK = 0,
	STATUS_INPUT = 1, /* something could not be read or written */
	STATUS_USAGE = 2,
};

struct report_request {
	const struct options *options;
	struct source *source; /* NULL for reports that read the files themselves */
	struct screen screen;
	char message[512]; /* one line when a report does not return STATUS_OK; may be empty */

	/* made by request_prepare() */
	struct arrangement arrangement;
	struct condition *condition;
	size_t shown[COLUMNS_MAX];
	size_t shown_count;
};

/* One for each line of reports.def. */
#define REPORT(id, name, takes, sort, doc, more) int report_##id(struct report_request *request);
#include "report/reports.def"

/*
 * Checks --sort, --columns and --filter against the table's columns before anything is read.
 * STATUS_OK or STATUS_USAGE with a message.
 */
int request_prepare(struct report_request *request, const struct table *table);
void request_release(struct report_request *request);
/* The model's options as the command line asks for them; the caller adds what it wants read. */
struct model_options request_model_options(const struct report_request *request);
/*
 * Reads the source to its end; a --range, --thread or --process that it does not have is said in the
 * request's message, which is no error: the report is shown all the same.
 */
void request_read(struct report_request *request, struct model *model);
/* Arranges the table and writes the document in the format asked for. */
int request_write(struct report_request *request, struct document *document, struct table *table);

#define FACT_NUMBER(fact_name, fact_unit, value) \
	((struct fact){ fact_name, fact_unit, { .number = (value), .kind = CELL_NUMBER } })

#endif
