/* SPDX-License-Identifier: MIT */
/*
 * Compares starts of DataLoader processes, in time order, with the loop's steps; the median of
 * steps without a start is what a step usually takes.
 */
#include "report/advice/worker_restarts.h"

#include <stdlib.h>

#include "report/advice/bottleneck.h"
#include "report/advice/process_starter.h"
#include "report/base/memory.h"
#include "report/base/units.h"

#define RESTARTS_MIN 2u    /* steps with a start; one may be a second DataLoader */
#define EXCESS_MATTERS 5.0 /* % of the steps' time: the rule's threshold */

struct start {
	uint32_t parent; /* index of the parent process */
	uint64_t time_ns;
};

static int worker_restarts_compare(const void *a, const void *b)
{
	const struct start *left = a, *right = b;

	if (left->parent != right->parent)
		return left->parent < right->parent ? -1 : 1;
	return left->time_ns < right->time_ns ? -1 : left->time_ns > right->time_ns;
}

/* Returns the starts in order. The caller frees them. */
static struct start *starts_of(const struct bottleneck *bottleneck, size_t *ret_count)
{
	struct source_process *const *process;
	size_t processes = source_processes(bottleneck->source, &process), room = 0, count = 0;
	struct start *start = NULL;

	for (size_t i = 0; i < processes; i++) {
		const struct source_process *starter;

		if (!bottleneck_is_worker(process[i]))
			continue;
		starter = process_starter(bottleneck->source, process[i]);
		if (!starter)
			continue;
		start = memory_room(start, count, &room, sizeof(*start));
		start[count++] = (struct start){ starter->index, process[i]->start_ns };
	}
	if (count)
		qsort(start, count, sizeof(*start), worker_restarts_compare);
	*ret_count = count;
	return start;
}

/* Returns how many starts precede that process and time. */
static size_t before(const struct start *start, size_t count, struct start wanted)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (worker_restarts_compare(&start[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint64_t started_in(const struct start *start, size_t count, const struct step_row *step)
{
	struct start from = { step->process, step->start_ns };
	struct start to = { step->process, step->start_ns + step->total_ns };

	return before(start, count, to) - before(start, count, from);
}

void worker_restarts_look(struct worker_restarts *restarts, const struct bottleneck *bottleneck)
{
	const struct steady_loop *loop = &bottleneck->loop;
	const struct steps *steps = bottleneck->steps;
	size_t count;
	struct start *start = starts_of(bottleneck, &count);

	*restarts = (struct worker_restarts){ 0 };
	for (size_t i = 0; count && loop->median_ns && i < steps->row_count; i++) {
		const struct step_row *row = &steps->row[i];
		uint64_t workers = 0;

		if (row->number && row->has_detail && !loop->is_warm[i])
			workers = started_in(start, count, row);

		if (!workers)
			continue;
		restarts->steps++;
		restarts->workers += workers;
		restarts->dataloader_ns += row->ns[STEP_dataloader];
		if (row->total_ns > loop->median_ns)
			restarts->excess_ns += row->total_ns - loop->median_ns;
	}
	free(start);
	if (restarts->steps < RESTARTS_MIN ||
	    bottleneck_share(bottleneck, restarts->excess_ns) <= EXCESS_MATTERS)
		restarts->dataloader_ns = 0;
}

bool advice_worker_restarts(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct worker_restarts *restarts = &bottleneck->restarts;
	char time[UNIT_TEXT_BYTES], workers[UNIT_TEXT_BYTES];

	advice->gain_ns = restarts->excess_ns;
	if (restarts->steps < RESTARTS_MIN ||
	    !advice_exceeds(advice, bottleneck_share(bottleneck, restarts->excess_ns)))
		return false;
	advice_say(advice,
		   "worker processes of a DataLoader are started again within the loop: %s in %.0f "
		   "steps, which take %s more than the median step, %.1f %% of the steps' time.",
		   unit_format_count(workers, restarts->workers), (double)restarts->steps,
		   unit_format_ns(time, restarts->excess_ns / restarts->steps), advice->value);
	return true;
}
