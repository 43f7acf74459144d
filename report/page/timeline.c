/* SPDX-License-Identifier: MIT */
/*
 * Spans of a run in bounded memory. If there are too many, short spans that are near to each other
 * are merged.
 */
#include "report/page/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/text.h"
#include "report/export/sink.h"

#define NO_END " (end not recorded)"
#define GRAIN_FIRST_NS 64u

/* --- names and lanes --- */

static bool timeline_name_is(const struct timeline_name *known, const char *category,
			     const char *json, size_t length)
{
	return known->length == length && !memcmp(known->json, json, length) &&
	       !strcmp(known->category, category);
}

static uint32_t name_of_json(struct timeline *timeline, const char *category, const char *json,
			     size_t length)
{
	uint64_t key = map_hash_bytes(json, length, (uint64_t)(unsigned char)*category);
	struct map_entry *entry;
	bool added;

	for (;; key = key + 1 ? key + 1 : 1) {
		/* if two collide, the second one takes the next key */
		entry = map_put(&timeline->known_names, key, &added);
		if (added ||
		    timeline_name_is(&timeline->name[entry->value], category, json, length))
			break;
	}
	if (!added)
		return (uint32_t)entry->value;
	entry->value = timeline->names;
	timeline->name = memory_room(timeline->name, timeline->names, &timeline->name_room,
				     sizeof(*timeline->name));
	timeline->name[timeline->names] = (struct timeline_name){
		text_store_put(&timeline->texts, json, length), category, length
	};
	return (uint32_t)timeline->names++;
}

/* The name of a text, followed by an addition. */
static uint32_t name_of_text(struct timeline *timeline, const char *category,
			     const struct trace_text *text, const char *behind)
{
	size_t length, room = text->length + strlen(behind);
	char *joined = memory_grow(NULL, room, 1), *json;
	struct text_store made = { NULL };
	uint32_t name;

	memcpy(joined, text->text, text->length);
	memcpy(joined + text->length, behind, strlen(behind));
	json = sink_json_text(&made, joined, room, &length);
	name = name_of_json(timeline, category, json, length);
	text_store_release(&made);
	free(joined);
	return name;
}

static uint32_t timeline_name_of(struct timeline *timeline, const struct trace_event *event)
{
	const char *category = trace_words[event->category];
	const struct trace_text *text = &event->name;
	struct timeline_text *known;

	if (!text->number)
		return name_of_text(timeline, category, text, "");
	timeline->of_text = memory_room(timeline->of_text, text->number, &timeline->of_text_room,
					sizeof(*timeline->of_text));
	known = &timeline->of_text[text->number];
	if (known->category != category) {
		known->name = name_of_text(timeline, category, text, "");
		known->category = category;
	}
	return known->name;
}

static enum lane_kind timeline_kind_of(const struct trace_slice *slice)
{
	const struct trace_text *name = &slice->event.name;

	if (slice->id)
		return LANE_RANGES;
	if (slice->work)
		return LANE_STREAM;
	if (text_begins(name->text, name->length, TRACE_STEP_LABEL))
		return LANE_STEPS;
	return LANE_THREAD;
}

uint32_t timeline_add_name(struct timeline *timeline, const char *category)
{
	timeline->name = memory_room(timeline->name, timeline->names, &timeline->name_room,
				     sizeof(*timeline->name));
	timeline->name[timeline->names] = (struct timeline_name){ "\"\"", category, 2 };
	return (uint32_t)timeline->names++;
}

void timeline_set_name(struct timeline *timeline, uint32_t name, const char *json, size_t length)
{
	timeline->name[name].json = text_store_put(&timeline->texts, json, length);
	timeline->name[name].length = length;
}

uint32_t timeline_lane(struct timeline *timeline, uint64_t pid, uint64_t tid, enum lane_kind kind)
{
	const uint64_t words[3] = { pid, tid, kind };
	bool added;
	struct map_entry *entry = map_put(&timeline->known_lanes,
					  map_hash_bytes(words, sizeof(words), 0), &added);

	if (!added)
		return (uint32_t)entry->value;
	entry->value = timeline->lanes;
	timeline->lane = memory_room(timeline->lane, timeline->lanes, &timeline->lane_room,
				     sizeof(*timeline->lane));
	timeline->lane[timeline->lanes] = (struct lane){ .pid = pid, .tid = tid, .kind = kind };
	return (uint32_t)timeline->lanes++;
}

/* --- spans --- */

static uint64_t end_of(const struct span *span)
{
	return span->start_ns + span->duration_ns;
}

/*
 * Merges the span with the last short one of its lane, which is among those before `count`. Returns
 * whether it did.
 */
static bool span_merge(struct timeline *timeline, const struct span *span)
{
	struct lane *lane = &timeline->lane[span->lane];
	struct span *into;
	uint64_t end;

	if (span->duration_ns >= timeline->grain_ns)
		return false;
	into = lane->merged ? &timeline->span[lane->merged - 1] : NULL;
	if (!into || into->start_ns / timeline->grain_ns != span->start_ns / timeline->grain_ns)
		return false;
	end = end_of(span) > end_of(into) ? end_of(span) : end_of(into);
	if (span->start_ns < into->start_ns)
		into->start_ns = span->start_ns;
	into->duration_ns = end - into->start_ns;
	into->busy_ns += span->busy_ns;
	into->count += span->count;
	return true;
}

static void span_keep(struct timeline *timeline, const struct span *span)
{
	if (timeline->grain_ns && span_merge(timeline, span))
		return;
	timeline->span = memory_room(timeline->span, timeline->count, &timeline->room,
				     sizeof(*timeline->span));
	timeline->span[timeline->count++] = *span;
	if (timeline->grain_ns && span->duration_ns < timeline->grain_ns)
		timeline->lane[span->lane].merged = (uint32_t)timeline->count;
}

/* Merges short spans until half of the room is free. */
static void merge_short(struct timeline *timeline)
{
	while (timeline->count > SPANS_MAX / 2) {
		size_t count = timeline->count;

		timeline->grain_ns = timeline->grain_ns ? 2 * timeline->grain_ns : GRAIN_FIRST_NS;
		for (size_t i = 0; i < timeline->lanes; i++)
			timeline->lane[i].merged = 0;
		timeline->count = 0;
		for (size_t i = 0; i < count; i++) {
			struct span span = timeline->span[i];

			span_keep(timeline, &span);
		}
	}
}

static void span_put(struct timeline *timeline, struct span span)
{
	span.count = 1;
	span.busy_ns = span.duration_ns;
	timeline->all++;
	timeline->lane[span.lane].busy_ns += span.duration_ns;
	span_keep(timeline, &span);
	if (timeline->count >= SPANS_MAX)
		merge_short(timeline);
}

void timeline_add(struct timeline *timeline, const struct span *span)
{
	span_put(timeline, *span);
}

/* Marked: the span extends to the end because its own end was not recorded. */
static uint32_t name_without_end(struct timeline *timeline, const struct trace_event *event)
{
	return name_of_text(timeline, trace_words[event->category], &event->name, NO_END);
}

/* Open until the end: timeline_settle() sets its duration. */
static void span_put_open(struct timeline *timeline, struct span span,
			  const struct trace_event *event)
{
	span.name = name_without_end(timeline, event);
	span.duration_ns = UINT64_MAX;
	timeline->all++;
	span.count = 1;
	timeline->span = memory_room(timeline->span, timeline->count, &timeline->room,
				     sizeof(*timeline->span));
	timeline->span[timeline->count++] = span;
}

/* --- the trace --- */

/* From a thread to a stream, or to a thread. */
static void timeline_take_flow(void *state, const struct trace_flow *flow)
{
	struct timeline *timeline = state;
	struct arrow arrow = { .from_ns = flow->time_ns, .to_ns = flow->to_ns };

	arrow.from_lane = timeline_lane(timeline, flow->pid, flow->tid, LANE_THREAD);
	arrow.to_lane = timeline_lane(timeline, flow->to_pid, flow->to_tid,
				      flow->category == TRACE_WORK ? LANE_STREAM : LANE_THREAD);
	arrows_add(&timeline->arrows, &arrow);
}

static void timeline_take_slice(void *state, const struct trace_slice *slice)
{
	struct timeline *timeline = state;
	const struct trace_event *event = &slice->event;
	struct span span = { .start_ns = event->time_ns, .duration_ns = slice->duration_ns };

	span.lane = timeline_lane(timeline, event->pid, event->tid, timeline_kind_of(slice));
	if (trace_is_open(slice) || (slice->id && trace_end_ns(slice) < span.start_ns)) {
		span_put_open(timeline, span, event);
	} else {
		span.name = slice->is_cut ? name_without_end(timeline, event)
					  : timeline_name_of(timeline, event);
		span_put(timeline, span);
	}
	if (slice->flow)
		timeline_take_flow(timeline, slice->flow);
}

static void timeline_take_gpu_state(void *state, const struct trace_slice *slice)
{
	struct timeline *timeline = state;
	const struct trace_event *event = &slice->event;

	span_put(timeline,
		 (struct span){ .start_ns = event->time_ns,
				.duration_ns = slice->duration_ns,
				.lane = timeline_lane(timeline, event->pid, event->tid, LANE_GPU),
				.name = timeline_name_of(timeline, event) });
}

const struct trace_writer timeline_writer = { .slice = timeline_take_slice,
					      .gpu_state = timeline_take_gpu_state,
					      .flow = timeline_take_flow };

void timeline_init(struct timeline *timeline)
{
	*timeline = (struct timeline){ .count = 0 };
	map_init(&timeline->known_lanes);
	map_init(&timeline->known_names);
}

void timeline_release(struct timeline *timeline)
{
	map_release(&timeline->known_lanes);
	map_release(&timeline->known_names);
	text_store_release(&timeline->texts);
	arrows_release(&timeline->arrows);
	free(timeline->of_text);
	free(timeline->span);
	free(timeline->lane);
	free(timeline->name);
}

/* --- depths --- */

static int timeline_compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Spans that contain others come before them. */
static int compare_nested(const void *first, const void *second)
{
	const struct span *a = first, *b = second;
	int result = timeline_compare(a->lane, b->lane);

	if (!result)
		result = timeline_compare(a->start_ns, b->start_ns);
	if (!result)
		result = timeline_compare(b->duration_ns, a->duration_ns);
	return result ? result : timeline_compare(a->name, b->name);
}

static int compare_rows(const void *first, const void *second)
{
	const struct span *a = first, *b = second;
	int result = timeline_compare(a->lane, b->lane);

	if (!result)
		result = timeline_compare(a->depth, b->depth);
	if (!result)
		result = timeline_compare(a->start_ns, b->start_ns);
	return result ? result : timeline_compare(a->duration_ns, b->duration_ns);
}

static void find_depths(struct timeline *timeline)
{
	uint64_t open[SPAN_DEPTH_MAX];
	uint32_t lane = UINT32_MAX, depth = 0;

	for (size_t i = 0; i < timeline->count; i++) {
		struct span *span = &timeline->span[i];

		if (span->lane != lane)
			depth = 0;
		lane = span->lane;
		while (depth && open[depth - 1] <= span->start_ns)
			depth--;
		if (depth == SPAN_DEPTH_MAX)
			depth--;
		span->depth = depth;
		open[depth++] = end_of(span);
		if (depth > timeline->lane[lane].depths)
			timeline->lane[lane].depths = depth;
	}
}

void timeline_settle(struct timeline *timeline, uint64_t end_ns)
{
	arrows_settle(&timeline->arrows, end_ns);
	for (size_t i = 0; i < timeline->count; i++) {
		struct span *span = &timeline->span[i];

		if (span->start_ns > end_ns)
			span->start_ns = end_ns;
		if (span->duration_ns > end_ns - span->start_ns)
			span->duration_ns = end_ns - span->start_ns;
		if (!span->busy_ns)
			span->busy_ns = span->duration_ns;
	}
	if (!timeline->count)
		return;
	qsort(timeline->span, timeline->count, sizeof(*timeline->span), compare_nested);
	find_depths(timeline);
	qsort(timeline->span, timeline->count, sizeof(*timeline->span), compare_rows);
}
