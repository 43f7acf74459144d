/* SPDX-License-Identifier: MIT */
/*
 * The timeline as pieces of a page, in levels of detail. Level 0 has spans longer than 1/2,048 of
 * the run. Each further level has shorter ones, down to a 64th; each span is in one level only.
 * Spans below a level's limit are in it as merged spans, with counts. A level is cut into pieces by
 * time, so that the page unpacks only what is looked at.
 *
 * The levels end when everything is there, or when the page would become too large. Then the last
 * level's merged spans remain, and the page says how short they are.
 */
#ifndef REPORT_PAGE_PAGE_TIMELINE_H
#define REPORT_PAGE_PAGE_TIMELINE_H

#include "report/device/device_numbers.h"
#include "report/device/device_states.h"
#include "report/page/page.h"
#include "report/page/page_samples.h"
#include "report/page/timeline.h"

struct page_timeline {
	struct timeline spans;
	struct device_states *states;   /* names of the lanes of GPUs' states */
	struct device_numbers *numbers; /* the same */
	struct page_samples samples;
};

/* `mine` must not move until it is released. */
void page_timeline_want(struct page_timeline *mine, struct page *page);
void page_timeline_put(struct page_timeline *mine, struct page *page);
void page_timeline_release(struct page_timeline *mine);

#endif
