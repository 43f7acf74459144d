/* SPDX-License-Identifier: MIT */
/*
 * A comparison as documents, for who shows all of it at once (report `page`): what changed most, and each report that this
 * looks at. One reading of each run serves all. Each document is what `prof-report diff ... --format json` writes.
 */
#ifndef REPORT_DIFF_COMPARE_H
#define REPORT_DIFF_COMPARE_H

#include "report/core/report.h"

struct compared {
	const char *report;      /* its name; NULL: what changed most, of all */
	const char *by;          /* its key; NULL: it has none */
	const char *metric;      /* the column that it is sorted by; NULL: none */
	const char *json;        /* a whole document, with at most `most` rows */
	const char *head, *foot; /* what people read around it; "" for nothing */
	size_t length, rows, shown;
	size_t most; /* rows that it may have */
};

/*
 * Returns 0 if it has taken the document; else the most rows with which it wants the same document
 * again.
 */
typedef size_t take_compared(void *context, const struct compared *one);

/*
 * The request's files are those of the run after, `base` those of the runs before; its options say which events count. A
 * status, with the request's message. take() may use what it is given until it returns. What is wrong with files is told on
 * stderr.
 */
int compare_put(struct report_request *request, char *const *base, size_t base_count, size_t most,
		take_compared *take, void *context);

#endif
