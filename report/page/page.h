/* SPDX-License-Identifier: MIT */
/*
 * The state of a page while it is made, shared by its parts. Each part requests analyses before the
 * run is read, and writes its pieces afterwards. One thread.
 */
#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include "report/core/report_job.h"
#include "report/page/page_file.h"

#define PAGE_WIDTH 100 /* for sentences, in characters */

struct page {
	struct report_request *request;
	struct run *run;
	struct page_file file;
	unsigned int compared_flames; /* number of differences of flame graphs so far */
};

/* Opens a stream to memory; never NULL. Its text belongs to the caller once it is closed. */
FILE *page_text_open(char **text, size_t *length);
/* The screen for parts of the page that are text. */
struct screen page_screen(const struct page *page, FILE *out);

#endif
