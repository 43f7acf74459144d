/* SPDX-License-Identifier: MIT */
/*
 * Push/pop ranges are in a nest; start/end ranges are in an array with a map by number. Every
 * operation takes constant time, however deep the nesting.
 */
#include "report/ranges/ranges.h"

#include <stdlib.h>

#include "report/base/memory.h"

static void ranges_range_ended(void *state, const struct nest_end *end);

void ranges_init(struct ranges *ranges, bool by_path)
{
	*ranges = (struct ranges){ .by_path = by_path, .unused = RANGE_NONE };
	nest_init(&ranges->nest, (struct nest_options){ .is_keyed = true, .by_generators = true },
		  ranges_range_ended, ranges);
	map_init(&ranges->pairs);
	map_init(&ranges->rows);
	map_init(&ranges->started_number);
	cover_init(&ranges->cover);
	ranges_late_init(ranges);
}

void ranges_release(struct ranges *ranges)
{
	for (size_t i = 0; i < ranges->row_count; i++) {
		timing_release(&ranges->row[i].time);
		range_gpu_release(&ranges->row[i]);
	}
	ranges_late_release(ranges);
	nest_release(&ranges->nest);
	free(ranges->row);
	free(ranges->open);
	free(ranges->started);
	free(ranges->clock);
	map_release(&ranges->pairs);
	map_release(&ranges->rows);
	map_release(&ranges->started_number);
	cover_release(&ranges->cover);
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

/* --- rows --- */

static uint32_t ranges_open_row(struct ranges *ranges, const struct range_opening *opening,
				uint32_t around)
{
	uint32_t parent = RANGE_NONE, row;

	if (!opening->counts)
		return RANGE_NONE;
	if (ranges->by_path && around != NEST_NONE)
		parent = ranges->open[around].row;
	row = ranges_row_of(ranges, parent, opening->domain, opening->name);
	ranges->row[row].count++;
	cover_begin(&ranges->cover, row + 1, opening->process, opening->time_ns);
	cover_begin(&ranges->cover, 0, opening->process, opening->time_ns);
	return row;
}

static struct cpu_moment ranges_moment(const struct ranges *ranges, uint32_t thread,
				       uint64_t time_ns)
{
	static const struct cpu_clock unread;

	return cpu_clock_at(thread < ranges->clock_room ? &ranges->clock[thread] : &unread,
			    time_ns);
}

void ranges_clock(struct ranges *ranges, struct nest_place place, uint64_t cpu_ns)
{
	ranges->clock = memory_room(ranges->clock, place.thread, &ranges->clock_room,
				    sizeof(*ranges->clock));
	ranges->clock[place.thread] = (struct cpu_clock){ true, place.time_ns, cpu_ns };
}

static void range_count(struct ranges *ranges, const struct range_open *open,
			const struct nest_end *end)
{
	struct work inside = work_between(&open->work, &ranges->now);
	struct range_row *row;

	deferred_scopes_settle(&ranges->deferred, open->deferred,
			       end->how == NEST_RUNS_ON ? RANGE_NONE : open->row);
	if (open->row == RANGE_NONE)
		return;
	cover_end(&ranges->cover, open->row + 1, open->process, end->time_ns,
		  end->how != NEST_RUNS_ON);
	cover_end(&ranges->cover, 0, open->process, end->time_ns, end->how != NEST_RUNS_ON);
	row = &ranges->row[open->row];
	row->open += end->how != NEST_ENDS;
	if (end->how == NEST_RUNS_ON)
		return;
	timing_add(&row->time, end->total_ns);
	row->self_ns += end->total_ns > end->children_ns ? end->total_ns - end->children_ns : 0;
	work_add(&row->work, &inside);
	if (open->began.is_known)
		cpu_span_add_between(&row->cpu, open->began,
				     ranges_moment(ranges, end->thread, end->time_ns),
				     end->total_ns);
}

/* --- push and pop --- */

static void ranges_range_ended(void *state, const struct nest_end *end)
{
	struct ranges *ranges = state;

	ranges->guessed += end->is_guessed && ranges->open[end->scope].row != RANGE_NONE;
	ranges->crossed += end->overlaps && end->how == NEST_ENDS &&
			   ranges->open[end->scope].row != RANGE_NONE;
	range_count(ranges, &ranges->open[end->scope], end);
}

void ranges_push(struct ranges *ranges, const struct range_opening *opening)
{
	struct nest_place place = { .time_ns = opening->time_ns,
				    .thread = opening->thread,
				    .process = opening->process,
				    .task = opening->task };
	uint32_t row = ranges_open_row(ranges, opening,
				       nest_innermost(&ranges->nest, opening->thread));
	uint32_t entry = nest_begin(&ranges->nest, place, opening->domain, false);

	if (entry >= ranges->open_room)
		ranges->open = memory_room(ranges->open, entry, &ranges->open_room,
					   sizeof(*ranges->open));
	ranges->open[entry] = (struct range_open){
		.work = opening->work,
		.began = ranges_moment(ranges, opening->thread, opening->time_ns),
		.row = row,
		.domain = opening->domain,
		.name = opening->name,
		.process = opening->process,
	};
}

void ranges_pop(struct ranges *ranges, const struct range_closing *closing)
{
	struct nest_place place = { .time_ns = closing->time_ns,
				    .thread = closing->thread,
				    .process = closing->process,
				    .task = closing->task };

	ranges->now = closing->work;
	ranges->unbalanced += !nest_end_key(&ranges->nest, place, closing->domain);
}

/* --- start and end --- */

static uint32_t ranges_take_started(struct ranges *ranges)
{
	uint32_t entry = ranges->unused;

	if (entry != RANGE_NONE) {
		ranges->unused = ranges->started[entry].next;
		return entry;
	}
	ranges->started = memory_room(ranges->started, ranges->started_count, &ranges->started_room,
				      sizeof(*ranges->started));
	return (uint32_t)ranges->started_count++;
}

static void ranges_end_started(struct ranges *ranges, uint32_t entry, uint64_t time_ns,
			       enum nest_ending how)
{
	struct range_open *open = &ranges->started[entry];
	uint64_t total_ns = time_ns > open->start_ns ? time_ns - open->start_ns : 0;

	ranges_forget_set(ranges, open->process);
	range_count(ranges, open,
		    &(struct nest_end){ .how = how, .total_ns = total_ns, .time_ns = time_ns });
	open->is_started = false;
	open->next = ranges->unused;
	ranges->unused = entry;
}

void ranges_start(struct ranges *ranges, const struct range_opening *opening)
{
	uint32_t row = ranges_open_row(ranges, opening, NEST_NONE), entry;
	struct map_entry *number;
	bool added;

	number = map_put(&ranges->started_number,
			 map_key_of(&ranges->started_number, opening->process, opening->number),
			 &added);
	if (!added) /* the number is in use, so the earlier range with it stays open forever */
		ranges_end_started(ranges, (uint32_t)number->value, 0, NEST_RUNS_ON);
	entry = ranges_take_started(ranges);
	number->value = entry;
	ranges_forget_set(ranges, opening->process);
	ranges->started[entry] = (struct range_open){ .work = opening->work,
						      .start_ns = opening->time_ns,
						      .row = row,
						      .number = opening->number,
						      .process = opening->process,
						      .is_started = true };
}

void ranges_end(struct ranges *ranges, const struct range_closing *closing)
{
	struct map_entry *number = map_find(
		&ranges->started_number,
		map_key_of(&ranges->started_number, closing->process, closing->number));

	if (!number) {
		ranges->unbalanced++;
		return;
	}
	ranges->now = closing->work;
	ranges_end_started(ranges, (uint32_t)number->value, closing->time_ns, NEST_ENDS);
	map_remove(&ranges->started_number, number);
}

void ranges_cut(struct ranges *ranges, struct nest_place place, struct work work,
		enum nest_ending how)
{
	ranges->now = work;
	nest_cut(&ranges->nest, place, how);
}

void ranges_cut_started(struct ranges *ranges, struct nest_place place, struct work work,
			enum nest_ending how)
{
	ranges->now = work;
	for (uint32_t i = 0; i < ranges->started_count && ranges->started_number.count; i++) {
		struct range_open *open = &ranges->started[i];

		if (!open->is_started || open->process != place.process)
			continue;
		map_remove(
			&ranges->started_number,
			map_find(&ranges->started_number,
				 map_key_of(&ranges->started_number, open->process, open->number)));
		ranges_end_started(ranges, i, place.time_ns, how);
	}
}

uint64_t ranges_covered_ns(const struct ranges *ranges, uint32_t thread)
{
	return nest_covered_ns(&ranges->nest, thread);
}
