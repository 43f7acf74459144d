/* SPDX-License-Identifier: MIT */
/*
 * A window begins before the event of its first step and ends after the event of the step behind
 * its last one, so the step that ends has detail if the window is open and is older than the step.
 */
#include "report/core/detail.h"

#include <stdlib.h>

#include "report/base/memory.h"

void detail_release(struct detail *detail)
{
	free(detail->process);
}

static struct detail_process *detail_process_at(struct detail *detail, uint32_t process)
{
	detail->process = memory_room(detail->process, process, &detail->room,
				      sizeof(*detail->process));
	return &detail->process[process];
}

void detail_take(struct detail *detail, uint32_t index, uint64_t time_ns, bool begins)
{
	struct detail_process *process = detail_process_at(detail, index);

	if (begins) {
		process->is_off = false;
		process->since_ns = time_ns;
		return;
	}
	process->is_off = process->was_off = true;
	if (!detail->until_ns || time_ns < detail->until_ns)
		detail->until_ns = time_ns;
}

void detail_take_step(struct detail *detail, uint32_t index, uint64_t time_ns, bool counts)
{
	struct detail_process *process = detail_process_at(detail, index);

	if (process->is_in_step && counts) {
		detail->steps++;
		detail->detailed += detail_covers(detail, index, process->step_ns);
	}
	process->is_in_step = true;
	process->step_ns = time_ns;
}

bool detail_covers(const struct detail *detail, uint32_t index, uint64_t from_ns)
{
	const struct detail_process *process = index < detail->room ? &detail->process[index]
								    : NULL;

	return !process || (!process->is_off && process->since_ns <= from_ns);
}

bool detail_is_unbroken(const struct detail *detail, uint32_t index)
{
	return index >= detail->room || !detail->process[index].was_off;
}
