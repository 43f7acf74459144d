/* SPDX-License-Identifier: MIT */
/* Looks at the heap every so many allocations, in recordings without steps. */
#include <stdlib.h>

#include "report/heap/growth.h"

#define EVERY_MIN 1024u /* allocations between two looks, at first */
#define PARTS 4u
#define STEADY_SHARE_MIN 0.25 /* share of the mean growth; a part with less is not steady */
#define TIMED_NS_MIN \
	1000000000ull          /* what is shorter is not judged by time: it may just have waited */
#define GROWTH_TO_FALL_MIN 2.0 /* growth below this multiple of the falls is no growth */

/* --- looks --- */

/* Keeps looks that are far enough from the previous one. */
static void whole_thin(struct growth *growth)
{
	struct growth_process *whole = &growth->whole;
	size_t kept = 1;

	whole->every *= 2;
	for (size_t i = 1; i < whole->looks; i++) {
		struct growth_look look = whole->look[i];

		growth_look_join(growth, &look, &whole->forgotten);
		if (look.step - whole->look[kept - 1].step < whole->every)
			whole->forgotten = look;
		else
			whole->look[kept++] = look;
	}
	for (size_t i = kept; i < whole->looks; i++)
		whole->look[i] = (struct growth_look){ 0 };
	whole->looks = kept;
}

/*
 * Each look schedules the next one. Its place depends on the number of allocations alone, not on
 * what else is read beside the heap.
 */
static void whole_look(void *state, uint64_t time_ns)
{
	struct growth *growth = state;
	struct growth_process *whole = &growth->whole;
	struct heap *heap = growth->heap;
	struct growth_look *look;

	if (growth->room || heap_is_sample(heap))
		return;
	while (whole->looks == GROWTH_LOOKS)
		whole_thin(growth);
	look = &whole->look[whole->looks++];
	*look = (struct growth_look){ .step = heap->totals.allocations, .time_ns = time_ns };
	for (uint32_t i = 0; i < heap->process_room; i++)
		if (heap->process[i] && !heap_program_is_done(heap, i))
			growth_look_take(growth, look, i);
	growth_look_join(growth, look, &whole->forgotten);
	heap_look_at(heap, look->step + whole->every, whole_look, growth);
}

/* There is no look at the end, because by then programs have freed their memory. */
void growth_whole_start(struct growth *growth)
{
	growth->whole.every = EVERY_MIN;
	heap_look_at(growth->heap, EVERY_MIN, whole_look, growth);
}

void growth_whole_release(struct growth *growth)
{
	for (size_t i = 0; i < growth->whole.looks; i++)
		growth_look_release(&growth->whole.look[i]);
	growth_look_release(&growth->whole.forgotten);
	growth->whole.looks = 0;
}

/* --- what it means --- */

struct growth_curve *growth_curves_whole(const struct growth *growth, const size_t *place,
					 size_t count, const bool *is_wanted)
{
	struct growth_curving curving;

	growth_curving_start(&curving, growth, place, count, is_wanted);
	growth_curving_take(&curving, &growth->whole);
	growth_curving_release(&curving);
	return curving.curve;
}

bool growth_is_whole(const struct growth *growth)
{
	return growth->whole.looks >= GROWTH_LOOKS_MIN;
}

/*
 * Returns the first look at or after `parts` of the parts between the look `first` and the last
 * one.
 */
static size_t part_begins(const struct growth_curve *curve, size_t first, unsigned int parts)
{
	size_t last = curve->looks - 1, at = first;
	uint64_t from = curve->step[first];
	double wanted = (double)from + (double)(curve->step[last] - from) * parts / PARTS;

	while (at < last && (double)curve->step[at] < wanted)
		at++;
	return at;
}

static size_t first_seen(const struct growth_curve *curve)
{
	size_t first = 0;

	while (first < curve->looks && !curve->bytes[first])
		first++;
	return first;
}

static double growth_whole_grown(const struct growth_curve *curve, size_t from, size_t to)
{
	return (double)curve->bytes[to] - (double)curve->bytes[from];
}

/* The first part counts as the place's warm-up. */
static enum growth_verdict judge_from(const struct growth_curve *curve, size_t first)
{
	size_t last = curve->looks - 1, second = part_begins(curve, first, 1);
	double all = growth_whole_grown(curve, second, last),
	       fallen = growth_fallen(curve, first, last);
	double latest = 0;
	unsigned int parts = 0;

	for (unsigned int part = 1; part < PARTS; part++) {
		size_t from = part_begins(curve, first, part);
		size_t to = part_begins(curve, first, part + 1);

		if (from == to)
			return GROWTH_UNKNOWN; /* no look lies in between */
		latest = growth_whole_grown(curve, from, to);
		parts += latest > 0 && latest >= STEADY_SHARE_MIN * all / (PARTS - 1);
	}
	if (parts == PARTS - 1 && all >= GROWTH_TO_FALL_MIN * fallen)
		return GROWTH_STEADY;
	if (latest <= 0 && (double)curve->bytes[last] >= GROWTH_TO_FALL_MIN * fallen)
		return GROWTH_STOPPED;
	return GROWTH_UNEVEN;
}

/* Tells when the last quarter of the allocations begins. Returns false if it has no look. */
static bool quarter_begins(const struct growth *growth, uint64_t *ret_ns)
{
	const struct growth_process *whole = &growth->whole;
	struct growth_curve curve = { .looks = whole->looks };
	size_t at;

	for (size_t i = 0; i < whole->looks; i++)
		curve.step[i] = whole->look[i].step;
	at = part_begins(&curve, 0, PARTS - 1);
	*ret_ns = whole->look[at].time_ns;
	return at < whole->looks - 1;
}

/*
 * When the last quarter of the time begins; 0 in a short run. A program may make most of its
 * allocations in its first seconds, when it imports modules: what was allocated then does not grow
 * while it serves.
 */
static uint64_t quarter_of_time(const struct growth_process *whole, uint64_t end_ns)
{
	uint64_t from_ns = whole->look[0].time_ns;

	if (end_ns < TIMED_NS_MIN || end_ns - TIMED_NS_MIN < from_ns)
		return 0;
	return end_ns - (end_ns - from_ns) / PARTS;
}

enum growth_verdict growth_judge_whole(const struct growth *growth,
				       const struct growth_curve *curve,
				       const struct growth_span *span)
{
	uint64_t late_ns;
	size_t first;

	if (!growth_is_whole(growth) || !span->kept_bytes || !quarter_begins(growth, &late_ns))
		return GROWTH_UNKNOWN;
	if (span->first_ns >= late_ns)
		return GROWTH_LATE;
	if (span->latest_ns < late_ns ||
	    span->latest_ns < quarter_of_time(&growth->whole, span->end_ns))
		return GROWTH_PAUSED;
	first = first_seen(curve);
	if (curve->looks < first + GROWTH_LOOKS_MIN)
		return GROWTH_UNKNOWN;
	return judge_from(curve, first);
}
