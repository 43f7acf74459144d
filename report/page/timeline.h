/* SPDX-License-Identifier: MIT */
/*
 * Spans of a run: what was open when, on which lane (a thread, a stream, the steps of a process),
 * in bounded memory. They arrive as the slices of a trace (report/trace/trace.h), each at its end.
 *
 * If there are too many, short spans that are near to each other on a lane are merged into one,
 * which counts them. Nothing is dropped: the counts add up to all spans. One thread.
 */
#ifndef REPORT_PAGE_TIMELINE_H
#define REPORT_PAGE_TIMELINE_H

#include "report/base/map.h"
#include "report/base/memory.h"
#include "report/page/arrows.h"
#include "report/trace/trace.h"

#define SPANS_MAX 2000000u
#define SPAN_DEPTH_MAX 60u

struct span {
	uint64_t start_ns, duration_ns;
	uint64_t busy_ns;    /* for a merged span: the sum of its spans' durations */
	uint32_t lane, name; /* name: unused in a merged span */
	uint32_t count;      /* more than 1: merged */
	uint32_t depth;      /* set by timeline_settle() */
};

enum lane_kind {
	LANE_THREAD,
	LANE_STEPS,
	LANE_RANGES,
	LANE_STREAM,
	LANE_SAMPLES,
	LANE_GPU, /* its state; tid is the index of the name of its UUID */
};

struct lane {
	uint64_t pid, tid; /* in the trace's numbering */
	enum lane_kind kind;
	uint32_t depths; /* number of rows */
	uint32_t merged; /* the span that took the last short one, plus 1 */
	uint64_t busy_ns;
};

struct timeline_name {
	const char *json, *category; /* a JSON string; a word of the trace's */
	size_t length;
};

/* The name of a text with a number; name is its number plus 1, 0: not yet. */
struct timeline_text {
	uint32_t name;
	const char *category;
};

struct timeline {
	struct span *span;
	size_t count, room;
	struct lane *lane;
	size_t lanes, lane_room;
	struct timeline_name *name;
	size_t names, name_room;
	struct map known_lanes, known_names;
	struct timeline_text *of_text; /* by number of a text */
	size_t of_text_room;
	struct text_store texts;
	uint64_t all;      /* number of all spans */
	uint64_t grain_ns; /* shorter spans have been merged; 0: none */
	struct arrows arrows;
};

/* Takes a trace's slices. Its state is the timeline, which must not move meanwhile. */
extern const struct trace_writer timeline_writer;

void timeline_init(struct timeline *timeline);
void timeline_release(struct timeline *timeline);

/*
 * For what is no event of a trace: the number of a lane, and a span on it, whose count and busy_ns
 * are set here.
 */
uint32_t timeline_lane(struct timeline *timeline, uint64_t pid, uint64_t tid, enum lane_kind kind);
void timeline_add(struct timeline *timeline, const struct span *span);
/* Adds a name whose text, a JSON string, is set later. `category` is kept. */
uint32_t timeline_add_name(struct timeline *timeline, const char *category);
void timeline_set_name(struct timeline *timeline, uint32_t name, const char *json, size_t length);

/*
 * Call after the last event: spans without end are open until end_ns, and spans get depths and are
 * sorted by lane, depth, start.
 */
void timeline_settle(struct timeline *timeline, uint64_t end_ns);

#endif
