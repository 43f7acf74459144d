/* SPDX-License-Identifier: MIT */
/*
 * All reports that make a table of a recording, as pieces of a page. Each is a document as --format
 * json has it, together with what people need to read it: headings, sentences around the table, why
 * there is nothing.
 */
#ifndef REPORT_PAGE_PAGE_TABLES_H
#define REPORT_PAGE_PAGE_TABLES_H

#include "report/page/page.h"

#define PAGE_ROWS_MAX 2000u /* per table; the page says if there were more */

struct page_table {
	struct options options; /* the command line's, for this report */
	struct report_request request;
	struct report_job job;
	bool is_left_out; /* the page has no room for a single row */
};

struct page_tables {
	struct page_table *table; /* owned */
	size_t count;
};

/* Returns 0, or a status with the page's message. Release it in any case. */
int page_tables_want(struct page_tables *tables, struct page *page);
void page_tables_put(struct page_tables *tables, struct page *page);
/* Call before the run is freed. */
void page_tables_release(struct page_tables *tables);

#endif
