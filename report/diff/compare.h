/* SPDX-License-Identifier: MIT */
/*
 * A comparison as documents, for report `page`, which shows all at once: what changed most, and
 * each report that can be compared, and
 * the stacks of both as one tree. All documents come from one reading of each run. Those of
 * reports are what `prof-report diff ... --format json` writes.
 */
#ifndef REPORT_DIFF_COMPARE_H
#define REPORT_DIFF_COMPARE_H

#include "report/core/report.h"

struct compared {
	const char *report;      /* its name; NULL: the overview of what changed most */
	const char *by;          /* its key; NULL: it has none */
	const char *metric;      /* the column by which it is sorted; NULL: none */
	const char *json;        /* a complete document, with at most `most` rows */
	const char *head, *foot; /* the lines that people read around it; "": none */
	size_t length, rows, shown;
	size_t most; /* number of rows that it may have */
	/* a difference of flame graphs, if not NULL: whose stacks; rows are functions */
	const char *flame;
	const char *title;
};

/*
 * Returns 0 if it accepted the document; otherwise the most rows with which it wants the same
 * document again.
 */
typedef size_t take_compared(void *context, const struct compared *one);

/*
 * The request's files are the run after, `base` the runs before; the request's options say which
 * events count. Returns a status, with the request's message. take() may use its argument until it
 * returns. Faults of files are reported on stderr.
 */
int compare_put(struct report_request *request, char *const *base, size_t base_count, size_t most,
		take_compared *take, void *context);

#endif
