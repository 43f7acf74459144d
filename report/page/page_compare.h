/* SPDX-License-Identifier: MIT */
/*
 * The run beside those of --against, as pieces of a page: what changed most, and a report each, as report diff has them. A piece
 * is {"document": ..., "head": text, "foot": text}, the first as `diff REPORT --format json` writes it.
 */
#ifndef REPORT_PAGE_PAGE_COMPARE_H
#define REPORT_PAGE_PAGE_COMPARE_H

#include "report/page/page.h"

/* Before anything is read: 0, or a status with the request's message. */
int page_compare_check(struct page *page);
/* Reads the runs; likewise. Nothing where there are none to compare with. */
int page_compare_put(struct page *page);

#endif
