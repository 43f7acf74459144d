/* SPDX-License-Identifier: MIT */
/*
 * A page under way: what its parts share. Each part wants analyses of the one run before it is read, and writes its pieces
 * afterwards. One thread.
 */
#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include "report/core/report_job.h"
#include "report/page/page_file.h"

#define PAGE_WIDTH 100 /* of sentences, in characters */

struct page {
	struct report_request *request;
	struct run *run;
	struct page_file file;
};

/* A stream to memory; never NULL. Its text is the caller's once it is closed. */
FILE *page_text_open(char **text, size_t *length);
/* How a part of the page has to look when it is text. */
struct screen page_screen(const struct page *page, FILE *out);

#endif
