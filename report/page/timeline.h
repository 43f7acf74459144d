/* SPDX-License-Identifier: MIT */
/*
 * Spans of a run: what was open when, on which lane (a thread, a stream, the steps of a process), in bounded memory. They come
 * as the slices of a trace (report/trace/trace.h), each at its end.
 *
 * When there are too many, short ones that are near to each other on a lane become one, which counts them. Nothing is dropped:
 * counts add up to all that came. One thread.
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
	uint64_t busy_ns;    /* of a merged one: the durations of its spans */
	uint32_t lane, name; /* name: of a merged one nothing */
	uint32_t count;      /* more than 1: merged */
	uint32_t depth;      /* by timeline_settle() */
};

enum lane_kind { LANE_THREAD, LANE_STEPS, LANE_RANGES, LANE_STREAM, LANE_SAMPLES };

struct lane {
	uint64_t pid, tid; /* as the trace has them */
	enum lane_kind kind;
	uint32_t depths; /* so many rows */
	uint32_t merged; /* the span that took the last short one, plus 1 */
	uint64_t busy_ns;
};

struct timeline_name {
	const char *json, *category; /* a JSON string; a word of the trace's */
	size_t length;
};

/* What a text with a number is called; name is its number plus 1, 0: not yet. */
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
	uint64_t all;      /* spans that came */
	uint64_t grain_ns; /* shorter ones have been merged; 0: none */
	struct arrows arrows;
};

/* Takes a trace's slices; its state is the timeline, which does not move while it does. */
extern const struct trace_writer timeline_writer;

void timeline_init(struct timeline *timeline);
void timeline_release(struct timeline *timeline);

/* What is no event of a trace: the number of a lane, and a span on it, whose count and busy_ns are set here. */
uint32_t timeline_lane(struct timeline *timeline, uint64_t pid, uint64_t tid, enum lane_kind kind);
void timeline_add(struct timeline *timeline, const struct span *span);
/* A name whose text is known later, and that text, a JSON string. `category` stays. */
uint32_t timeline_add_name(struct timeline *timeline, const char *category);
void timeline_set_name(struct timeline *timeline, uint32_t name, const char *json, size_t length);

/* After the last event: what has no end is open until end_ns, spans have depths and are in the order lane, depth, start. */
void timeline_settle(struct timeline *timeline, uint64_t end_ns);

#endif
