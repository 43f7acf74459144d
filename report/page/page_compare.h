/* SPDX-License-Identifier: MIT */
/*
 * The run compared with those of --against, as pieces of a page: what changed most, and one piece
 * per report, as report diff shows them. A piece is {"document": ..., "head": text, "foot": text};
 * the document is that of `diff REPORT --format json`.
 */
#ifndef REPORT_PAGE_PAGE_COMPARE_H
#define REPORT_PAGE_PAGE_COMPARE_H

#include "report/page/page.h"

/* Call before anything is read. Returns 0, or a status with the request's message. */
int page_compare_check(struct page *page);
/*
 * Reads the runs and writes the pieces; returns as page_compare_check(). Does nothing if there are
 * none to compare with.
 */
int page_compare_put(struct page *page);

#endif
