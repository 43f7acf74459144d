/* SPDX-License-Identifier: MIT */
/* NVTX ranges: see ranges.h. Every operation takes constant time, however deep the nesting. */
#include "report/ranges.h"

#include <math.h>
#include <stdlib.h>

#include "report/memory.h"

void ranges_init(struct ranges *ranges, bool by_path)
{
	*ranges = (struct ranges){ .by_path = by_path, .unused = RANGE_NONE };
	map_init(&ranges->pairs);
	map_init(&ranges->rows);
	map_init(&ranges->domain_top);
	map_init(&ranges->started);
}

void ranges_release(struct ranges *ranges)
{
	for (size_t i = 0; i < ranges->row_count; i++)
		histogram_release(&ranges->row[i].durations);
	free(ranges->row);
	free(ranges->open);
	free(ranges->thread);
	map_release(&ranges->pairs);
	map_release(&ranges->rows);
	map_release(&ranges->domain_top);
	map_release(&ranges->started);
}

static uint32_t ranges_row_of(struct ranges *ranges, uint32_t parent, uint32_t domain,
			      uint32_t name)
{
	struct map_entry *pair, *row;
	struct range_row *fresh;
	bool added;

	pair = map_put(&ranges->pairs, ((uint64_t)domain << 32 | name) + 1, &added);
	if (added)
		pair->value = ranges->pairs.count;
	/* RANGE_NONE + 2 is 1 */
	row = map_put(&ranges->rows, (uint64_t)(uint32_t)(parent + 2) << 32 | (uint32_t)pair->value,
		      &added);
	if (!added)
		return (uint32_t)row->value;
	row->value = ranges->row_count;
	ranges->row = memory_room(ranges->row, ranges->row_count, &ranges->row_room,
				  sizeof(*ranges->row));
	fresh = &ranges->row[ranges->row_count];
	fresh->parent = parent;
	fresh->domain = domain;
	fresh->name = name;
	fresh->depth = parent == RANGE_NONE ? 0 : ranges->row[parent].depth + 1;
	fresh->min_ns = UINT64_MAX;
	return (uint32_t)ranges->row_count++;
}

static void range_row_add_time(struct range_row *row, uint64_t total_ns, uint64_t self_ns)
{
	double difference = (double)total_ns - row->mean;

	row->closed++;
	row->total_ns += total_ns;
	row->self_ns += self_ns;
	if (total_ns < row->min_ns)
		row->min_ns = total_ns;
	if (total_ns > row->max_ns)
		row->max_ns = total_ns;
	row->mean += difference / (double)row->closed;
	row->squares += difference * ((double)total_ns - row->mean);
	histogram_add(&row->durations, total_ns, 1);
}

static uint32_t ranges_take_open(struct ranges *ranges)
{
	uint32_t entry = ranges->unused;

	if (entry != RANGE_NONE) {
		ranges->unused = ranges->open[entry].below;
		return entry;
	}
	ranges->open = memory_room(ranges->open, ranges->open_count, &ranges->open_room,
				   sizeof(*ranges->open));
	return (uint32_t)ranges->open_count++;
}

static void ranges_give_open(struct ranges *ranges, uint32_t entry)
{
	ranges->open[entry].row = RANGE_NONE;
	ranges->open[entry].below = ranges->unused;
	ranges->unused = entry;
}

static struct range_thread *ranges_thread_at(struct ranges *ranges, uint32_t thread)
{
	size_t before = ranges->thread_room;

	ranges->thread = memory_room(ranges->thread, thread, &ranges->thread_room,
				     sizeof(*ranges->thread));
	for (size_t i = before; i < ranges->thread_room; i++)
		ranges->thread[i].top = RANGE_NONE;
	return &ranges->thread[thread];
}

static uint32_t ranges_open_row(struct ranges *ranges, const struct range_opening *opening,
				uint32_t around)
{
	uint32_t parent = RANGE_NONE, row;

	if (!opening->counts)
		return RANGE_NONE;
	if (ranges->by_path && around != RANGE_NONE)
		parent = ranges->open[around].row;
	row = ranges_row_of(ranges, parent, opening->domain, opening->name);
	ranges->row[row].count++;
	return row;
}

void ranges_push(struct ranges *ranges, const struct range_opening *opening)
{
	struct range_thread *thread = ranges_thread_at(ranges, opening->owner);
	uint32_t row = ranges_open_row(ranges, opening, thread->top);
	uint32_t entry = ranges_take_open(ranges);
	struct map_entry *domain;
	bool added;

	domain = map_put(&ranges->domain_top,
			 (uint64_t)(opening->owner + 1) << 32 | opening->domain, &added);
	ranges->open[entry] = (struct range_open){
		.start_ns = opening->time_ns,
		.charged_ns = opening->time_ns,
		.work = opening->work,
		.row = row,
		.domain = opening->domain,
		.above = RANGE_NONE,
		.below = thread->top,
		.outer = added ? RANGE_NONE : (uint32_t)domain->value,
	};
	if (thread->top != RANGE_NONE)
		ranges->open[thread->top].above = entry;
	else
		thread->since_ns = opening->time_ns;
	thread->top = entry;
	domain->value = entry;
}

void ranges_start(struct ranges *ranges, const struct range_opening *opening)
{
	uint32_t row = ranges_open_row(ranges, opening, RANGE_NONE);
	uint32_t entry = ranges_take_open(ranges);
	uint64_t key = (uint64_t)(opening->owner + 1) << 32 ^ opening->number;
	struct map_entry *started;
	bool added;

	started = map_put(&ranges->started, key ? key : 1, &added);
	if (!added) { /* a number that is in use: the range before it stays open for good */
		if (ranges->open[started->value].row != RANGE_NONE)
			ranges->row[ranges->open[started->value].row].open++;
		ranges_give_open(ranges, (uint32_t)started->value);
	}
	started->value = entry;
	ranges->open[entry] = (struct range_open){
		.start_ns = opening->time_ns,
		.work = opening->work,
		.row = row,
		.domain = opening->owner,
		.above = RANGE_NONE,
		.below = RANGE_NONE,
		.outer = RANGE_NONE,
	};
}

static uint64_t time_between(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

static void range_count(struct ranges *ranges, const struct range_open *open, uint64_t time_ns,
			const struct range_work *work)
{
	uint64_t total = time_between(open->start_ns, time_ns);
	struct range_row *row;

	if (open->row == RANGE_NONE)
		return;
	row = &ranges->row[open->row];
	range_row_add_time(row, total, time_between(open->children_ns, total));
	row->work.allocations += work->allocations - open->work.allocations;
	row->work.bytes_allocated += work->bytes_allocated - open->work.bytes_allocated;
	row->work.cuda_calls += work->cuda_calls - open->work.cuda_calls;
}

/* Takes a range out of its thread's list and charges its time to the ranges around it. */
static void ranges_unlink(struct ranges *ranges, uint32_t thread, uint32_t entry, uint64_t time_ns)
{
	struct range_open *open = &ranges->open[entry];

	if (open->above != RANGE_NONE) {
		struct range_open *above = &ranges->open[open->above];

		/* the one inside it goes on: up to now it was a child of this, from now on of the next */
		open->children_ns += time_between(above->charged_ns, time_ns);
		above->charged_ns = time_ns;
		above->below = open->below;
	} else {
		struct range_thread *owner = ranges_thread_at(ranges, thread);

		owner->top = open->below;
		if (owner->top == RANGE_NONE)
			owner->covered_ns += time_between(owner->since_ns, time_ns);
	}
	if (open->below != RANGE_NONE) {
		ranges->open[open->below].above = open->above;
		ranges->open[open->below].children_ns += time_between(open->charged_ns, time_ns);
	}
}

void ranges_pop(struct ranges *ranges, const struct range_closing *closing)
{
	struct map_entry *domain = map_find(&ranges->domain_top,
					    (uint64_t)(closing->owner + 1) << 32 | closing->domain);
	uint32_t entry;

	if (!domain) {
		ranges->unbalanced++;
		return;
	}
	entry = (uint32_t)domain->value;
	if (ranges->open[entry].outer == RANGE_NONE)
		map_remove(&ranges->domain_top, domain);
	else
		domain->value = ranges->open[entry].outer;
	ranges_unlink(ranges, closing->owner, entry, closing->time_ns);
	range_count(ranges, &ranges->open[entry], closing->time_ns, &closing->work);
	ranges_give_open(ranges, entry);
}

void ranges_end(struct ranges *ranges, const struct range_closing *closing)
{
	uint64_t key = (uint64_t)(closing->owner + 1) << 32 ^ closing->number;
	struct map_entry *started = map_find(&ranges->started, key ? key : 1);
	uint32_t entry;

	if (!started) {
		ranges->unbalanced++;
		return;
	}
	entry = (uint32_t)started->value;
	map_remove(&ranges->started, started);
	range_count(ranges, &ranges->open[entry], closing->time_ns, &closing->work);
	ranges_give_open(ranges, entry);
}

void ranges_finish_thread(struct ranges *ranges, uint32_t thread, uint64_t time_ns,
			  struct range_work work, bool ended)
{
	while (thread < ranges->thread_room && ranges->thread[thread].top != RANGE_NONE) {
		uint32_t entry = ranges->thread[thread].top;

		ranges_unlink(ranges, thread, entry, time_ns);
		if (ranges->open[entry].row != RANGE_NONE)
			ranges->row[ranges->open[entry].row].open++;
		if (ended)
			range_count(ranges, &ranges->open[entry], time_ns, &work);
		ranges->open[entry].row = RANGE_NONE;
		ranges_give_open(ranges, entry);
	}
}

void ranges_finish_process(struct ranges *ranges, uint32_t process, uint64_t time_ns,
			   struct range_work work, bool ended)
{
	for (size_t i = 0; i < ranges->open_count && ranges->started.count; i++) {
		struct range_open *open = &ranges->open[i];

		if (open->row == RANGE_NONE || open->domain != process)
			continue;
		ranges->row[open->row].open++;
		if (ended)
			range_count(ranges, open, time_ns, &work);
		open->row = RANGE_NONE;
	}
}

uint64_t ranges_covered_ns(const struct ranges *ranges, uint32_t thread)
{
	return thread < ranges->thread_room ? ranges->thread[thread].covered_ns : 0;
}

void range_row_merge(struct range_row *into, const struct range_row *from)
{
	double both = (double)(into->closed + from->closed), difference = from->mean - into->mean;

	if (from->closed) {
		/* Chan, Golub, LeVeque: variance of two samples together */
		into->squares += from->squares + difference * difference * (double)into->closed *
							 (double)from->closed / both;
		into->mean += difference * (double)from->closed / both;
		if (from->min_ns < into->min_ns)
			into->min_ns = from->min_ns;
		if (from->max_ns > into->max_ns)
			into->max_ns = from->max_ns;
		histogram_merge(&into->durations, &from->durations);
	}
	into->count += from->count;
	into->closed += from->closed;
	into->open += from->open;
	into->total_ns += from->total_ns;
	into->self_ns += from->self_ns;
	into->work.allocations += from->work.allocations;
	into->work.bytes_allocated += from->work.bytes_allocated;
	into->work.cuda_calls += from->work.cuda_calls;
}

uint64_t range_row_percentile(const struct range_row *row, double percent)
{
	uint64_t value = histogram_percentile(&row->durations, percent);

	if (value > row->max_ns)
		return row->max_ns;
	return row->closed && value < row->min_ns ? row->min_ns : value;
}

uint64_t range_row_stddev(const struct range_row *row)
{
	return row->closed > 1 ? (uint64_t)(sqrt(row->squares / (double)(row->closed - 1)) + 0.5)
			       : 0;
}
