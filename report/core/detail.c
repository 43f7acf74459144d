/* SPDX-License-Identifier: MIT */
/*
 * A window begins before the event of its first step and ends after the event of the step behind
 * its last one, so the step that ends has detail if the window is open and is older than the step.
 */
#include "report/core/detail.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

void detail_release(struct detail *detail)
{
	free(detail->process);
}

static enum detail_kind detail_kind_of(const struct source *source)
{
	const struct source_meta *meta;
	size_t count = source ? source_metas(source, &meta) : 0;

	for (size_t i = 0; i < count; i++)
		if (meta[i].key->text && meta[i].value->text &&
		    !strcmp(meta[i].key->text, "capture") &&
		    !strcmp(meta[i].value->text, "trigger,light"))
			return DETAIL_OF_CAPTURES;
	return DETAIL_OF_BUDGET;
}

/* Asked for each operator, so the answer is kept. */
bool detail_is_of_captures(const struct detail *detail)
{
	if (!detail->kind)
		((struct detail *)detail)->kind = detail_kind_of(detail->source);
	return detail->kind == DETAIL_OF_CAPTURES;
}

static struct detail_process *detail_process_at(struct detail *detail, uint32_t process)
{
	size_t before = detail->room;
	bool is_off = detail_is_of_captures(detail);

	detail->process = memory_room(detail->process, process, &detail->room,
				      sizeof(*detail->process));
	for (size_t i = before; i < detail->room; i++)
		detail->process[i].is_off = detail->process[i].was_off = is_off;
	return &detail->process[process];
}

void detail_take(struct detail *detail, uint32_t index, uint64_t time_ns, bool begins)
{
	struct detail_process *process = detail_process_at(detail, index);

	if (begins) {
		process->is_off = false;
		process->since_ns = time_ns;
		detail->captures += detail_is_of_captures(detail);
		return;
	}
	if (!process->was_off)
		process->first_detailed = process->detailed;
	process->is_off = process->was_off = true;
	if (!detail->until_ns || time_ns < detail->until_ns)
		detail->until_ns = time_ns;
}

void detail_take_window(struct detail *detail, uint32_t index, uint64_t time_ns, bool begins,
			uint64_t step)
{
	struct detail_process *process = detail_process_at(detail, index);

	if (step < process->number || begins == !process->is_off)
		return;
	process->number = step;
	detail_take(detail, index, time_ns, begins);
}

bool detail_take_time(struct detail *detail, uint32_t index, uint64_t start_ns, uint64_t time_ns,
		      bool begins)
{
	struct detail_process *process = detail_process_at(detail, index);

	if (process->time_is_over || process->is_in_step || begins != process->is_off)
		return false;
	if (!process->by_time) {
		process->by_time = true;
		process->from_ns = process->since_ns = start_ns;
		process->windows = 1;
	}
	if (begins)
		process->windows++;
	else if (time_ns > process->since_ns)
		process->on_ns += time_ns - process->since_ns;
	detail_take(detail, index, time_ns, begins);
	return true;
}

struct detail_time detail_time_of(const struct detail *detail, uint32_t index, uint64_t end_ns)
{
	const struct detail_process *process = index < detail->room ? &detail->process[index]
								    : NULL;
	struct detail_time time = { 0 };

	if (!process || !process->by_time)
		return time;
	if (process->time_is_over)
		end_ns = process->to_ns;
	time.windows = process->windows;
	time.on_ns = process->on_ns;
	if (!process->time_is_over && !process->is_off && end_ns > process->since_ns)
		time.on_ns += end_ns - process->since_ns;
	time.all_ns = end_ns > process->from_ns ? end_ns - process->from_ns : 0;
	return time;
}

/* Steps decide from here on. The process itself records what it does then. */
static void detail_end_time(struct detail_process *process, uint64_t time_ns)
{
	if (!process->is_off && time_ns > process->since_ns)
		process->on_ns += time_ns - process->since_ns;
	process->to_ns = time_ns;
	process->time_is_over = true;
}

void detail_take_step(struct detail *detail, uint32_t index, uint64_t time_ns, bool counts)
{
	struct detail_process *process = detail_process_at(detail, index);

	if (process->by_time && !process->time_is_over)
		detail_end_time(process, time_ns);
	if (process->is_in_step && counts) {
		bool has_detail = detail_covers(detail, index, process->step_ns);

		detail->steps++;
		detail->detailed += has_detail;
		process->steps++;
		process->detailed += has_detail;
	}
	process->is_in_step = true;
	process->step_ns = time_ns;
}

struct detail_steps detail_steps_of_windows(const struct detail *detail)
{
	struct detail_steps sum = { 0 };

	for (size_t i = 0; i < detail->room; i++) {
		const struct detail_process *process = &detail->process[i];

		if (!process->was_off)
			continue;
		sum.steps += process->steps;
		sum.detailed += process->detailed;
		sum.first_detailed += process->first_detailed;
	}
	return sum;
}

bool detail_covers(const struct detail *detail, uint32_t index, uint64_t from_ns)
{
	const struct detail_process *process = index < detail->room ? &detail->process[index]
								    : NULL;

	if (!process)
		return !detail_is_of_captures(detail);
	return !process->is_off && process->since_ns <= from_ns;
}

bool detail_is_unbroken(const struct detail *detail, uint32_t index)
{
	return index >= detail->room ? !detail_is_of_captures(detail)
				     : !detail->process[index].was_off;
}
