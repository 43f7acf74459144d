/* SPDX-License-Identifier: MIT */
/*
 * A lane is a sorted list of its outermost spans. A new span goes on the first lane on which it
 * crosses none.
 */
#include "report/export/lanes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

struct lane_span {
	uint64_t start_ns, end_ns;
};

struct lane {
	struct lane_span *span; /* outermost ones, by time; none crosses another */
	size_t count, room;
	bool has_forgotten;
	/* from the first begin to the last end of spans that are no longer in `span` */
	struct lane_span forgotten;
};

/* Index of the first span that begins at or after `start_ns`. */
static size_t lane_find(const struct lane *lane, uint64_t start_ns)
{
	size_t from = 0, to = lane->count;

	/* nearly all arrive in order */
	if (!to || lane->span[to - 1].start_ns < start_ns)
		return to;
	while (from < to) {
		size_t middle = (from + to) / 2;

		if (lane->span[middle].start_ns < start_ns)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* The spans from `from` to `to` are inside of the new one, and no longer outermost. */
static void lane_replace(struct lane *lane, size_t from, size_t to, const struct lane_span *span)
{
	if (from == to)
		lane->span = memory_room(lane->span, lane->count, &lane->room, sizeof(*lane->span));
	memmove(lane->span + from + 1, lane->span + to, (lane->count - to) * sizeof(*lane->span));
	lane->span[from] = *span;
	lane->count += from + 1;
	lane->count -= to;
}

static void lane_forget(struct lane *lane)
{
	size_t half = LANE_SPANS / 2;

	if (lane->count < LANE_SPANS)
		return;
	if (!lane->has_forgotten || lane->span[0].start_ns < lane->forgotten.start_ns)
		lane->forgotten.start_ns = lane->span[0].start_ns;
	if (!lane->has_forgotten || lane->span[half - 1].end_ns > lane->forgotten.end_ns)
		lane->forgotten.end_ns = lane->span[half - 1].end_ns;
	lane->has_forgotten = true;
	lane->count -= half;
	memmove(lane->span, lane->span + half, lane->count * sizeof(*lane->span));
}

static bool lane_put(struct lane *lane, const struct lane_span *span)
{
	size_t from = lane_find(lane, span->start_ns), to = from;
	bool is_around = lane->has_forgotten && span->start_ns < lane->forgotten.start_ns &&
			 span->end_ns >= lane->forgotten.end_ns;

	if (lane->has_forgotten && span->start_ns < lane->forgotten.end_ns && !is_around &&
	    span->end_ns >= lane->forgotten.start_ns)
		return false;
	if (from && lane->span[from - 1].end_ns > span->start_ns)
		return false;
	for (; to < lane->count && lane->span[to].start_ns < span->end_ns; to++)
		if (lane->span[to].end_ns > span->end_ns ||
		    (lane->span[to].start_ns == span->start_ns &&
		     lane->span[to].end_ns > span->start_ns))
			return false;
	/* otherwise its end would come after the begin of that span, which was added before */
	for (size_t i = to; i < lane->count && lane->span[i].start_ns == span->end_ns; i++)
		if (span->start_ns < span->end_ns && lane->span[i].end_ns > span->end_ns)
			return false;
	lane->has_forgotten &= !is_around;
	lane_replace(lane, from, to, span);
	lane_forget(lane);
	return true;
}

uint32_t lanes_put(struct lanes *lanes, uint64_t start_ns, uint64_t end_ns)
{
	struct lane_span span = { start_ns, end_ns };

	for (uint32_t i = 0; i < lanes->count; i++)
		if (lane_put(&lanes->lane[i], &span))
			return i;
	lanes->lane = memory_room(lanes->lane, lanes->count, &lanes->room, sizeof(*lanes->lane));
	lane_put(&lanes->lane[lanes->count], &span);
	return lanes->count++;
}

void lanes_release(struct lanes *lanes)
{
	for (uint32_t i = 0; i < lanes->count; i++)
		free(lanes->lane[i].span);
	free(lanes->lane);
	*lanes = (struct lanes){ 0 };
}
