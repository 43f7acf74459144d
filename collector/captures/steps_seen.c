/* SPDX-License-Identifier: MIT */
/* Of more than REGION_STEPS steps since the last look, the older ones are not seen. */
#include "collector/captures/steps_seen.h"

#include <stdlib.h>
#include <string.h>

static const struct process *process_with_steps(const struct common *common,
						const struct processes *processes)
{
	for (uint32_t i = 0; i < processes->limit; i++) {
		const struct process *process = &processes->slot[i];

		if (process->number && !process->gone && !process->exiting &&
		    view_load64(&common->view.process[process->entry].steps))
			return process;
	}
	return NULL;
}

static void length_take(struct steps_seen *steps, uint64_t length_ns)
{
	if (!length_ns)
		return; /* it began before anybody counted */
	steps->length_ns[steps->lengths++ % STEPS_SEEN_LENGTHS] = length_ns;
	if (length_ns > steps->longest_ns)
		steps->longest_ns = length_ns;
}

/* A difference of ticks; no step takes a year. */
static uint64_t length_ns_of(const struct common *common, uint64_t ticks)
{
	const uint64_t longest = 1ull << 57;

	if (!ticks || ticks > longest)
		return 0;
	return clockmap_ns(&common->clock, ticks) - clockmap_ns(&common->clock, 0);
}

void steps_seen_look(struct steps_seen *steps, const struct common *common,
		     const struct processes *processes)
{
	const struct process *process = process_with_steps(common, processes);
	const struct region_process *shared;
	uint64_t count, from;

	steps->longest_ns = 0;
	if (!process)
		return;
	shared = &common->view.process[process->entry];
	if (!steps->has_process || steps->entry != process->entry ||
	    steps->serial != process->serial)
		*steps = (struct steps_seen){ .entry = process->entry,
					      .serial = process->serial,
					      .has_process = true };
	count = __atomic_load_n((const uint64_t *)(const void *)&shared->steps, __ATOMIC_ACQUIRE);
	if (count == steps->count)
		return;
	from = count - steps->count > REGION_STEPS ? count - REGION_STEPS : steps->count;
	for (uint64_t i = from; i < count; i++)
		length_take(
			steps,
			length_ns_of(common, view_load64(&shared->step_ticks[i % REGION_STEPS])));
	steps->count = count;
	steps->ended_ns = common_ns(common, view_load64(&shared->step_tsc));
}

static int length_compare(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

uint64_t steps_seen_median_ns(const struct steps_seen *steps)
{
	uint64_t sorted[STEPS_SEEN_LENGTHS];
	size_t count = steps->lengths < STEPS_SEEN_LENGTHS ? steps->lengths : STEPS_SEEN_LENGTHS;

	if (count < STEPS_SEEN_MIN)
		return 0;
	memcpy(sorted, steps->length_ns, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), length_compare);
	return sorted[count / 2];
}
