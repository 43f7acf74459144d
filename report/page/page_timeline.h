/* SPDX-License-Identifier: MIT */
/*
 * The timeline as pieces of a page, in levels of detail: level 0 has what is longer than 1/2,048 of the run, each further one
 * what is shorter, down to a 64th; each span is in one level only. What is shorter than a level's limit is in it as merged
 * spans, with counts. A level is cut into pieces by time, so that the page unpacks what is looked at.
 *
 * The levels end when everything is there, or where the page would grow too large: then the last one's merged spans stay, and
 * the page says how short they are.
 */
#ifndef REPORT_PAGE_PAGE_TIMELINE_H
#define REPORT_PAGE_PAGE_TIMELINE_H

#include "report/page/page.h"
#include "report/page/page_samples.h"
#include "report/page/timeline.h"

struct page_timeline {
	struct timeline spans;
	struct page_samples samples;
};

/* It does not move until it is released. */
void page_timeline_want(struct page_timeline *mine, struct page *page);
void page_timeline_put(struct page_timeline *mine, struct page *page);
void page_timeline_release(struct page_timeline *mine);

#endif
