/* SPDX-License-Identifier: MIT */
/*
 * Stacks of all families that have some, as pieces of a page: a tree of functions for each family
 * and value, as in report flame. Functions too small to be seen are left out and counted; their
 * value remains in the functions around them.
 */
#ifndef REPORT_PAGE_PAGE_FLAMES_H
#define REPORT_PAGE_PAGE_FLAMES_H

#include "report/page/page.h"
#include "report/stacks/stack_report.h"

struct page_flame {
	struct options options; /* the command line's, with --of and --value */
	struct report_request request;
	struct report report;
	struct stack_report state;
};

struct page_flames {
	struct page_flame *flame; /* owned; does not move */
	size_t count;
};

void page_flames_want(struct page_flames *flames, struct page *page);
void page_flames_put(struct page_flames *flames, struct page *page);
/* Call before the run is freed. */
void page_flames_release(struct page_flames *flames);

#endif
