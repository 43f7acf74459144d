/* SPDX-License-Identifier: MIT */
/* NVTX ranges: see ranges.h. Every operation takes constant time, however deep the nesting. */
#include "report/ranges.h"

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
		timing_release(&ranges->row[i].time);
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
	return (uint32_t)ranges->row_count++;
}

void range_work_add(struct range_work *into, const struct range_work *more)
{
#define ADD(name) into->name += more->name;
	RANGE_WORK(ADD)
#undef ADD
}

/* What was done between two moments. */
static struct range_work range_work_between(const struct range_work *from,
					    const struct range_work *to)
{
#define DIFFERENCE(name) .name = to->name - from->name,
	return (struct range_work){ RANGE_WORK(DIFFERENCE) };
#undef DIFFERENCE
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
		.name = opening->name,
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
	struct range_work inside;
	struct range_row *row;

	if (open->row == RANGE_NONE)
		return;
	row = &ranges->row[open->row];
	timing_add(&row->time, total);
	row->self_ns += time_between(open->children_ns, total);
	inside = range_work_between(&open->work, work);
	range_work_add(&row->work, &inside);
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

/* The innermost range of the domain on its thread is it no more. */
static void ranges_leave_domain(struct ranges *ranges, struct map_entry *domain)
{
	uint32_t outer = ranges->open[domain->value].outer;

	if (outer == RANGE_NONE)
		map_remove(&ranges->domain_top, domain);
	else
		domain->value = outer;
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
	ranges_leave_domain(ranges, domain);
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

		ranges_leave_domain(
			ranges, map_find(&ranges->domain_top, (uint64_t)(thread + 1) << 32 |
								      ranges->open[entry].domain));
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

bool ranges_innermost(const struct ranges *ranges, uint32_t thread, uint32_t *ret_domain,
		      uint32_t *ret_name)
{
	uint32_t top = thread < ranges->thread_room ? ranges->thread[thread].top : RANGE_NONE;

	if (top == RANGE_NONE)
		return false;
	*ret_domain = ranges->open[top].domain;
	*ret_name = ranges->open[top].name;
	return true;
}

uint64_t ranges_covered_ns(const struct ranges *ranges, uint32_t thread)
{
	return thread < ranges->thread_room ? ranges->thread[thread].covered_ns : 0;
}

void range_row_merge(struct range_row *into, const struct range_row *from)
{
	timing_merge(&into->time, &from->time);
	into->count += from->count;
	into->open += from->open;
	into->self_ns += from->self_ns;
	range_work_add(&into->work, &from->work);
}
