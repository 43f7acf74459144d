/* SPDX-License-Identifier: MIT */
/*
 * Judges growth from the looks at the heap, one look a step: a place grows if it does so in each
 * part of the steps and by more than it falls in between.
 */
#include <stdlib.h>

#include "report/base/memory.h"
#include "report/heap/growth.h"

#define PARTS 4u               /* parts that the steps are divided into */
#define STEADY_SHARE_MIN 0.25  /* share of the mean growth; a part with less is not steady */
#define GROWTH_TO_FALL_MIN 2.0 /* growth below this multiple of the falls is no growth */
#define EARLIER_SHARE_MIN 0.9  /* share of what is kept at the end */
#define NO_ROW UINT32_MAX

/* --- curves --- */

void growth_curving_start(struct growth_curving *curving, const struct growth *growth,
			  const size_t *place, size_t count, const bool *is_wanted)
{
	*curving = (struct growth_curving){
		.curve = memory_zero(count + 1, sizeof(*curving->curve)),
		.place = place,
		.count = count,
		.is_wanted = is_wanted,
		.bytes = memory_zero(growth->heap->row_count + 1, sizeof(*curving->bytes)),
		.touched = memory_zero(count + 1, sizeof(*curving->touched)),
	};
}

void growth_curving_release(struct growth_curving *curving)
{
	free(curving->bytes);
	free(curving->touched);
}

static bool place_is_wanted(const struct growth_curving *c, size_t place)
{
	return place < c->count && (!c->is_wanted || c->is_wanted[place]);
}

/* From that look on the row has so much more. growth_curving_take() adds up the looks. */
static void curve_change(struct growth_curving *c, const struct growth_process *process,
			 size_t place, size_t look, uint64_t more)
{
	struct growth_curve *curve = &c->curve[place];

	if (!curve->looks) {
		c->touched[c->touched_count++] = place;
		for (size_t i = 0; i < process->looks; i++)
			curve->step[i] = process->look[i].step;
	}
	curve->looks = process->looks;
	curve->bytes[look] += more;
}

static void curve_add_up(struct growth_curve *curve)
{
	for (size_t i = 1; i < curve->looks; i++)
		curve->bytes[i] += curve->bytes[i - 1];
}

static void growth_said_take_look(struct growth_curving *c, const struct growth_process *process,
				  size_t look)
{
	for (size_t i = 0; i < process->look[look].count; i++) {
		const struct growth_part *part = &process->look[look].part[i];
		uint64_t before = c->bytes[part->row];

		c->bytes[part->row] = part->bytes;
		if (part->bytes != before && place_is_wanted(c, c->place[part->row]))
			curve_change(c, process, c->place[part->row], look, part->bytes - before);
	}
}

void growth_curving_take(struct growth_curving *curving, const struct growth_process *process)
{
	for (size_t look = 0; look < process->looks; look++)
		growth_said_take_look(curving, process, look);
	for (size_t i = 0; i < curving->touched_count; i++)
		curve_add_up(&curving->curve[curving->touched[i]]);
}

/* --- what they say --- */

static double growth_said_grown(const struct growth_curve *curve, size_t from, size_t to)
{
	return (double)curve->bytes[to] - (double)curve->bytes[from];
}

double growth_fallen(const struct growth_curve *curve, size_t from, size_t to)
{
	uint64_t highest = 0, most = 0;

	for (size_t i = from; i <= to; i++) {
		if (curve->bytes[i] > highest)
			highest = curve->bytes[i];
		if (highest - curve->bytes[i] > most)
			most = highest - curve->bytes[i];
	}
	return (double)most;
}

enum growth_verdict growth_judge(const struct growth_curve *curve, uint64_t kept_bytes,
				 double *ret_per_step)
{
	size_t last = curve->looks ? curve->looks - 1 : 0, first = last / PARTS, parts = 0;
	double all, mean, latest = 0;

	*ret_per_step = 0;
	if (curve->looks < GROWTH_LOOKS_MIN)
		return GROWTH_UNKNOWN;
	all = growth_said_grown(curve, first, last);
	/* what is freed after the last step proves nothing about the steps */
	if ((double)curve->bytes[0] >= EARLIER_SHARE_MIN * (double)kept_bytes &&
	    all <= (double)kept_bytes)
		return GROWTH_EARLIER;
	mean = all / (PARTS - 1);
	/* the first part is the warm-up */
	for (size_t part = 1; part < PARTS; part++) {
		latest = growth_said_grown(curve, last * part / PARTS, last * (part + 1) / PARTS);
		parts += latest > 0 && latest >= STEADY_SHARE_MIN * mean;
	}
	if (all > 0)
		*ret_per_step = all / (double)(curve->step[last] - curve->step[first]);
	if (parts == PARTS - 1 && all >= GROWTH_TO_FALL_MIN * growth_fallen(curve, first, last))
		return GROWTH_STEADY;
	if (latest <= 0)
		return GROWTH_STOPPED;
	return GROWTH_UNEVEN;
}

/* The rows of each process as linked lists. */
struct rows_of {
	uint32_t *first; /* by process */
	uint32_t *next;  /* by row */
};

static struct rows_of rows_by_process(const struct growth *growth)
{
	const struct heap *heap = growth->heap;
	struct rows_of rows = { memory_zero(growth->room + 1, sizeof(*rows.first)),
				memory_zero(heap->row_count + 1, sizeof(*rows.next)) };

	for (size_t i = 0; i < growth->room; i++)
		rows.first[i] = NO_ROW;
	for (uint32_t i = 0; i < heap->row_count; i++) {
		uint32_t process = heap->row[i].process;

		if (process >= growth->room)
			continue; /* the process has no step */
		rows.next[i] = rows.first[process];
		rows.first[process] = i;
	}
	return rows;
}

/*
 * Verdicts of several processes on one place are combined by weight: a place that grows in one
 * process grows.
 */
static unsigned int growth_said_weight_of(enum growth_verdict verdict)
{
	static const enum growth_verdict order[] = { GROWTH_UNKNOWN, GROWTH_EARLIER, GROWTH_STOPPED,
						     GROWTH_UNEVEN, GROWTH_STEADY };

	for (unsigned int i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (order[i] == verdict)
			return i;
	return 0;
}

static void said_add(struct growth_said *said, enum growth_verdict verdict, double per_step)
{
	if (verdict == said->verdict) {
		said->per_step += per_step;
	} else if (growth_said_weight_of(verdict) > growth_said_weight_of(said->verdict)) {
		said->verdict = verdict;
		said->per_step = per_step;
	}
}

/* Judges all places of a process. Its curves are empty afterwards. */
static void judge_process(struct growth_curving *c, const struct growth *growth,
			  const struct rows_of *rows, uint32_t process, uint64_t *kept_bytes,
			  struct growth_said *said)
{
	growth_curving_take(c, growth->process[process]);
	for (uint32_t row = rows->first[process]; row != NO_ROW; row = rows->next[row])
		if (place_is_wanted(c, c->place[row]))
			kept_bytes[c->place[row]] += growth->heap->row[row].kept_bytes;
	for (size_t i = 0; i < c->touched_count; i++) {
		size_t place = c->touched[i];
		double per_step;
		enum growth_verdict verdict = growth_judge(&c->curve[place], kept_bytes[place],
							   &per_step);

		said_add(&said[place], verdict, per_step);
		c->curve[place] = (struct growth_curve){ 0 };
	}
	c->touched_count = 0;
	for (uint32_t row = rows->first[process]; row != NO_ROW; row = rows->next[row])
		if (place_is_wanted(c, c->place[row]))
			kept_bytes[c->place[row]] = 0;
}

struct growth_said *growth_say(const struct growth *growth, const size_t *place, size_t count,
			       const bool *is_wanted)
{
	struct growth_said *said = memory_zero(count + 1, sizeof(*said));
	uint64_t *kept_bytes = memory_zero(count + 1, sizeof(*kept_bytes));
	struct rows_of rows = rows_by_process(growth);
	struct growth_curving c;

	growth_curving_start(&c, growth, place, count, is_wanted);
	/*
	 * of a sample, more may by chance have been drawn in one part of the steps than in another
	 */
	for (uint32_t i = 0; i < growth->room && !growth->heap->totals.sampled; i++)
		if (growth->process[i])
			judge_process(&c, growth, &rows, i, kept_bytes, said);
	growth_curving_release(&c);
	free(c.curve);
	free(rows.first);
	free(rows.next);
	free(kept_bytes);
	return said;
}
