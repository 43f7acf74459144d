/* SPDX-License-Identifier: MIT */
/*
 * Samples of Python's stacks in the timeline: one lane per thread with consecutive stretches of
 * what it was in and what it did there (report/samples/stretches.h). The piece "timeline-stacks"
 * has the whole stack of each:
 *
 *   {"name": [number of the timeline's name, ...], "place": [its innermost place, ...],
 *    "from": [1 + the place around the place, 0: none, ...], "frame": [its text, ...],
 *    "frames": [text, ...]}
 */
#ifndef REPORT_PAGE_PAGE_SAMPLES_H
#define REPORT_PAGE_PAGE_SAMPLES_H

#include "report/page/page.h"
#include "report/page/timeline.h"
#include "report/samples/stretches.h"
#include "report/trace/producer.h"

/* A name in the timeline: a stack, and what a thread did there. */
struct seen_stack {
	uint64_t place;
	uint32_t name;
};

struct page_samples {
	struct timeline *timeline; /* borrowed */
	struct trace *trace;       /* the run's; gives processes their numbers */
	const struct samples *samples;
	struct source *source;
	struct map known; /* from place and state to an entry of `seen` */
	struct seen_stack *seen;
	size_t count, room;
	size_t kept; /* of them, those whose stack fits into the page */
	uint64_t looks, stretches;
};

/* `samples` and `timeline` must not move until the run is over. */
void page_samples_want(struct page_samples *samples, struct page *page, struct timeline *timeline,
		       struct trace *trace);
/* Names what is in the timeline, and writes the piece. Call before the timeline is written. */
void page_samples_put(struct page_samples *samples, struct page *page, uint64_t room);
void page_samples_release(struct page_samples *samples);

#endif
