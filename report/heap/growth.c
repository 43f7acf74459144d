/* SPDX-License-Identifier: MIT */
/* What lives on the heap, from step to step: see growth.h. */
#include "report/heap/growth.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/core/keys.h"
#include "report/heap/heap_events.h"

#define PARTS 4u               /* of the steps */
#define STEADY_SHARE_MIN 0.25  /* of the mean: less growth in a part is not steady */
#define GROWTH_TO_FALL_MIN 2.0 /* what goes up and down by more than it grows is no growth */
#define EARLIER_SHARE_MIN 0.9  /* of what is kept */

void growth_look_release(struct growth_look *look)
{
	free(look->part);
	*look = (struct growth_look){ 0 };
}

static struct growth_process *process_of(struct growth *growth, uint32_t index)
{
	growth->process = memory_room(growth->process, index, &growth->room,
				      sizeof(*growth->process));
	if (!growth->process[index]) {
		growth->process[index] = memory_zero(1, sizeof(**growth->process));
		growth->process[index]->every = 1;
	}
	return growth->process[index];
}

/* Parts of an earlier look come to those of a later one, which hold where both have a row. */
void growth_look_join(struct growth *growth, struct growth_look *later, struct growth_look *earlier)
{
	uint32_t join = ++growth->joins;

	for (size_t i = 0; i < later->count; i++) {
		growth->mark = memory_room(growth->mark, later->part[i].row, &growth->mark_room,
					   sizeof(*growth->mark));
		growth->mark[later->part[i].row] = join;
	}
	if (earlier->count)
		later->part = memory_grow(later->part, later->count + earlier->count,
					  sizeof(*later->part));
	for (size_t i = 0; i < earlier->count; i++) {
		uint32_t row = earlier->part[i].row;

		if (row >= growth->mark_room || growth->mark[row] != join)
			later->part[later->count++] = earlier->part[i];
	}
	growth_look_release(earlier);
}

/* Every second look is enough from now on. */
static void process_thin(struct growth *growth, struct growth_process *process)
{
	size_t kept = 0;

	for (size_t i = 0; i < process->looks; i++) {
		struct growth_look *look = &process->look[i];

		if (look->step % (2 * process->every)) {
			growth_look_join(growth, look, &process->forgotten);
			process->forgotten = *look;
			continue;
		}
		growth_look_join(growth, look, &process->forgotten);
		process->look[kept++] = *look;
	}
	for (size_t i = kept; i < process->looks; i++)
		process->look[i] = (struct growth_look){ 0 };
	process->looks = kept;
	process->every *= 2;
}

void growth_look_take(struct growth *growth, struct growth_look *look, uint32_t process)
{
	const uint32_t *row;
	size_t count = heap_take_changes(growth->heap, process, &row);

	if (count)
		look->part = memory_grow(look->part, look->count + count, sizeof(*look->part));
	for (size_t i = 0; i < count; i++)
		look->part[look->count++] = (struct growth_part){
			row[i], growth->heap->row[row[i]].live_bytes
		};
}

static void take_step(void *state, const struct source_event *event, bool counts)
{
	struct growth *growth = state;
	uint32_t index = event->process->index;
	struct growth_process *process = process_of(growth, index);
	uint64_t step = process->steps++;
	struct growth_look *look;

	(void)counts;
	if (growth->whole.looks) /* they have taken what had changed */
		heap_change_live(growth->heap);
	growth_whole_release(growth);
	growth->steps = process->steps > growth->steps ? process->steps : growth->steps;
	if (step % process->every)
		return;
	if (process->looks == GROWTH_LOOKS)
		process_thin(growth, process);
	if (step % process->every)
		return;
	look = &process->look[process->looks++];
	*look = (struct growth_look){ .step = step, .time_ns = event->event.time_ns };
	growth_look_take(growth, look, index);
	growth_look_join(growth, look, &process->forgotten);
}

static void growth_settle(void *state, uint64_t upto_ns)
{
	growth_whole_settle(state, upto_ns);
}

static void growth_start(void *state, struct run *run, const void *options)
{
	const struct growth_options *asked = options;
	struct growth *growth = state;

	growth->heap = heap_want(run, &(struct heap_options){ BY_alloc_stack, asked->of });
	heap_keep_changes(growth->heap);
	run_reads(run, EVT_step, 0, take_step, growth);
	growth_whole_start(growth, run, asked->of);
}

static void growth_end(void *state)
{
	struct growth *growth = state;

	for (size_t i = 0; i < growth->room; i++) {
		for (size_t k = 0; growth->process[i] && k < GROWTH_LOOKS; k++)
			growth_look_release(&growth->process[i]->look[k]);
		if (growth->process[i])
			growth_look_release(&growth->process[i]->forgotten);
		free(growth->process[i]);
	}
	growth_whole_release(growth);
	free(growth->process);
	free(growth->mark);
}

const struct analysis_kind analysis_growth = {
	.name = "growth",
	.state_bytes = sizeof(struct growth),
	.options_bytes = sizeof(struct growth_options),
	.start = growth_start,
	.settle = growth_settle,
	.release = growth_end,
};

/* --- what it means --- */

/* From the look on that much more; what all looks add up to is curve_add_up()'s. */
static void curve_change(struct growth_curve *curve, const struct growth_process *process,
			 uint32_t index, size_t look, uint64_t more)
{
	if (curve->looks && curve->process != index) {
		curve->is_mixed = true;
		return;
	}
	if (!curve->looks)
		for (size_t i = 0; i < process->looks; i++)
			curve->step[i] = process->look[i].step;
	curve->looks = process->looks;
	curve->process = index;
	curve->bytes[look] += more;
}

static void curve_add_up(struct growth_curve *curve)
{
	for (size_t i = 1; i < curve->looks; i++)
		curve->bytes[i] += curve->bytes[i - 1];
}

/* What is needed while curves are made. */
struct curving {
	struct growth_curve *curve;
	const size_t *place;
	size_t count;
	const bool *is_wanted;
	uint64_t *bytes; /* what lived of each row at the look before */
};

static bool place_is_wanted(const struct curving *c, size_t place)
{
	return place < c->count && (!c->is_wanted || c->is_wanted[place]);
}

static void curves_put_look(const struct curving *c, const struct growth_process *process,
			    uint32_t index, size_t look)
{
	for (size_t i = 0; i < process->look[look].count; i++) {
		const struct growth_part *part = &process->look[look].part[i];
		uint64_t before = c->bytes[part->row];

		c->bytes[part->row] = part->bytes;
		if (part->bytes != before && place_is_wanted(c, c->place[part->row]))
			curve_change(&c->curve[c->place[part->row]], process, index, look,
				     part->bytes - before);
	}
}

struct growth_curve *growth_curves(const struct growth *growth, const size_t *place, size_t count,
				   const bool *is_wanted)
{
	const struct curving c = { .curve = memory_zero(count + 1, sizeof(*c.curve)),
				   .place = place,
				   .count = count,
				   .is_wanted = is_wanted,
				   .bytes = memory_zero(growth->heap->row_count,
							sizeof(*c.bytes)) };

	for (uint32_t i = 0; i < growth->room; i++)
		for (size_t look = 0; growth->process[i] && look < growth->process[i]->looks;
		     look++)
			curves_put_look(&c, growth->process[i], i, look);
	for (size_t look = 0; look < growth->whole.looks; look++)
		curves_put_look(&c, &growth->whole, 0, look);
	free(c.bytes);
	for (size_t i = 0; i < count; i++)
		if (place_is_wanted(&c, i))
			curve_add_up(&c.curve[i]);
	return c.curve;
}

static double grown(const struct growth_curve *curve, size_t from, size_t to)
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
	if (curve->looks < GROWTH_LOOKS_MIN || curve->is_mixed)
		return GROWTH_UNKNOWN;
	if ((double)curve->bytes[0] >= EARLIER_SHARE_MIN * (double)kept_bytes)
		return GROWTH_EARLIER;
	all = grown(curve, first, last);
	mean = all / (PARTS - 1);
	/* the first part is the program warming up */
	for (size_t part = 1; part < PARTS; part++) {
		latest = grown(curve, last * part / PARTS, last * (part + 1) / PARTS);
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

uint64_t growth_steps(const struct growth *growth)
{
	return growth->steps;
}
