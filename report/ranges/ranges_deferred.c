/* SPDX-License-Identifier: MIT */
/*
 * Adds deferred work to the ranges in which it was launched. A place has the scope of the innermost
 * push/pop range of the thread, or of the thread for which it works; its upper half has the set of
 * start/end ranges of the process.
 */
#include <stdlib.h>

#include "report/base/memory.h"
#include "report/helpers/helpers.h"
#include "report/ranges/ranges.h"

_Static_assert(RANGE_NONE == DEFERRED_NO_ROW, "a range without a row is a scope without one");

static struct range_gpu *ranges_deferred_gpu_of(struct range_row *row)
{
	if (!row->gpu)
		row->gpu = memory_zero(1, sizeof(*row->gpu));
	return row->gpu;
}

void range_gpu_release(struct range_row *row)
{
	if (row->gpu)
		timing_release(&row->gpu->projected);
	free(row->gpu);
	row->gpu = NULL;
}

static void range_is_over(void *owner, uint32_t row, const struct deferred_sum *total,
			  const struct deferred_sum *own)
{
	struct ranges *ranges = owner;
	struct range_row *range = &ranges->row[row];

	range->work.gpu_ns += total->ns;
	range->work.gpu_ops += total->count;
	ranges_deferred_gpu_of(range)->self_ns += own->ns;
	timing_add(&range->gpu->projected, total->last_ns - total->first_ns);
}

void ranges_late_init(struct ranges *ranges)
{
	deferred_scopes_init(&ranges->deferred, range_is_over, ranges);
}

void ranges_late_release(struct ranges *ranges)
{
	for (size_t i = 0; i < ranges->set_count; i++)
		free(ranges->set[i].scope);
	deferred_scopes_release(&ranges->deferred);
	free(ranges->set);
	free(ranges->set_of);
}

static uint32_t *ranges_deferred_deferred_of_open(void *owner, uint32_t scope)
{
	return &((struct ranges *)owner)->open[scope].deferred;
}

/* --- start/end ranges --- */

static struct range_set *set_at(struct ranges *ranges, uint32_t number)
{
	return &ranges->set[number - 1];
}

static void set_drop(struct ranges *ranges, uint32_t number)
{
	struct range_set *set = set_at(ranges, number);

	if (--set->refs)
		return;
	for (size_t i = 0; i < set->count; i++)
		deferred_scopes_drop(&ranges->deferred, set->scope[i]);
	free(set->scope);
	*set = (struct range_set){ .next = ranges->set_unused };
	ranges->set_unused = number;
}

static uint32_t set_take(struct ranges *ranges)
{
	uint32_t number = ranges->set_unused;

	if (number) {
		ranges->set_unused = set_at(ranges, number)->next;
		return number;
	}
	ranges->set = memory_room(ranges->set, ranges->set_count, &ranges->set_room,
				  sizeof(*ranges->set));
	return (uint32_t)++ranges->set_count;
}

static void set_add(struct ranges *ranges, struct range_set *set, struct range_open *open)
{
	if (!open->deferred)
		open->deferred = deferred_scopes_open(&ranges->deferred);
	deferred_scopes_hold(&ranges->deferred, open->deferred);
	set->scope = memory_grow(set->scope, set->count + 1, sizeof(*set->scope));
	set->scope[set->count++] = open->deferred;
}

static uint32_t set_of_process(struct ranges *ranges, uint32_t process)
{
	uint32_t number;

	if (!ranges->started_number.count)
		return 0;
	ranges->set_of = memory_room(ranges->set_of, process, &ranges->set_of_room,
				     sizeof(*ranges->set_of));
	number = ranges->set_of[process];
	if (number)
		return number;
	number = set_take(ranges);
	*set_at(ranges, number) = (struct range_set){ .refs = 1 };
	for (size_t i = 0; i < ranges->started_count; i++)
		if (ranges->started[i].is_started && ranges->started[i].process == process)
			set_add(ranges, set_at(ranges, number), &ranges->started[i]);
	ranges->set_of[process] = number;
	return number;
}

void ranges_forget_set(struct ranges *ranges, uint32_t process)
{
	uint32_t number = process < ranges->set_of_room ? ranges->set_of[process] : 0;

	if (!number)
		return;
	ranges->set_of[process] = 0;
	set_drop(ranges, number);
}

/* --- calls --- */

static uint64_t ranges_deferred_place_of(void *state, const struct source_event *event, bool counts)
{
	struct ranges *ranges = state;
	uint32_t thread = helpers_scopes_of(ranges->helpers, &ranges->nest, event->thread->index);
	uint32_t scope = deferred_scopes_of_thread(&ranges->deferred, &ranges->nest, thread,
						   ranges_deferred_deferred_of_open);
	uint32_t set = set_of_process(ranges, event->process->index);

	(void)counts;
	deferred_scopes_hold(&ranges->deferred, scope);
	if (set)
		set_at(ranges, set)->refs++;
	return (uint64_t)set << 32 | scope;
}

static void ranges_deferred_take_late(void *state, uint64_t place, const struct deferred_work *work)
{
	struct ranges *ranges = state;
	const struct range_set *set = place >> 32 ? set_at(ranges, (uint32_t)(place >> 32)) : NULL;

	deferred_scopes_add(&ranges->deferred, (uint32_t)place, work);
	for (size_t i = 0; set && i < set->count; i++)
		deferred_scopes_add(&ranges->deferred, set->scope[i], work);
}

static void ranges_deferred_drop_late(void *state, uint64_t place, bool had_work)
{
	struct ranges *ranges = state;

	(void)had_work;
	deferred_scopes_drop(&ranges->deferred, (uint32_t)place);
	if (place >> 32)
		set_drop(ranges, (uint32_t)(place >> 32));
}

void ranges_want_late(struct ranges *ranges, struct run *run)
{
	static const struct deferred_listener listener = { .place = ranges_deferred_place_of,
							   .take = ranges_deferred_take_late,
							   .drop = ranges_deferred_drop_late,
							   .takes_uncounted = true };

	ranges->helpers = helpers_want(run, NULL);
	deferred_listen(deferred_want(run), &listener, ranges);
}
