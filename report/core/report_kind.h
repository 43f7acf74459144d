/* SPDX-License-Identifier: MIT */
/*
 * What differs between the reports. All else is done by the driver (report_run.c): a report says
 * what is to be read, fills rows and totals, and prints the lines around the table.
 *
 * A report is a kind (report_kind_alloc) and a line REPORT(alloc, ...) in its folder's family.def.
 * The driver makes its zeroed state and calls want(); reads the source to its end; calls fill() and
 * total(), and head() and foot() if the output is for people; then release(). To be used by one
 * thread.
 */
#ifndef REPORT_CORE_REPORT_KIND_H
#define REPORT_CORE_REPORT_KIND_H

#include "report/core/why_empty.h"
#include "report/core/report.h"

/* A report's totals, in their order. Texts are borrowed, or are in `texts`. */
struct facts {
	struct fact *fact;
	size_t count, room;
	struct text_store texts;
};
void facts_number(struct facts *facts, const char *name, enum unit unit, uint64_t value);
/* `text` NULL: the fact has no value. */
void facts_text(struct facts *facts, const char *name, const char *text, size_t length);
void facts_none(struct facts *facts, const char *name, enum unit unit);

void facts_release(struct facts *facts);

/* A report that is being made. */
struct report {
	const struct report_kind *kind;
	struct report_request *request;
	struct run *run;
	void *state; /* kind->state_bytes */
};

enum report_form {
	REPORT_TABLE,
	REPORT_PART,  /* the same, without a line on how much of the run was recorded */
	REPORT_WHOLE, /* a table of things that are known even if nothing was recorded of them */
	REPORT_TEXT,  /* people get all from the head; the table is for programs */
};

struct report_kind {
	size_t state_bytes;
	enum report_form form;
	enum evt_family family; /* for tables: the family whose absence explains an empty one */

	/*
	 * Instead of all functions below: the report reads the files itself. Returns a status like
	 * report_run().
	 */
	int (*read_files)(struct report_request *request);
	/* The same, but it reads the request's source, with the request's completed scope. */
	int (*read_source)(struct report_request *request);

	/*
	 * Wants the analyses that it shows, and keeps the results of run_want() in its state. NULL:
	 * none.
	 */
	void (*want)(struct report *report);
	void (*fill)(struct report *report, struct table *table);

	/* Each of these may be NULL. */
	void (*total)(const struct report *report, struct facts *facts);
	/* Why there are no rows; NULL: the absence of the family explains it. */
	const char *(*explain)(const struct report *report, struct why_empty *absence);
	/*
	 * Returns true if nothing is to be printed in front of the head, because the head itself
	 * says what is missing. NULL: it does not.
	 */
	bool (*says_losses)(const struct report *report);
	/* The document's context is the report. */
	void (*head)(const struct document *document, const struct screen *screen);
	void (*foot)(const struct document *document, const struct screen *screen);
	/* For --format folded and svg, which only reports with TAKES_value have. */
	void (*draw)(const struct document *document, const struct screen *screen,
		     enum export_format format);
	void (*release)(struct report *report);
};

#define REPORT(id, name, takes, sort, doc, more) extern const struct report_kind report_kind_##id;
#include "report/families.def"

/* Returns the kind of a report; read-only. */
const struct report_kind *report_kind_of(enum report_id id);
/* Returns STATUS_OK, or another status with one line in the request's message. */
int report_run(const struct report_kind *kind, struct report_request *request);

#endif
