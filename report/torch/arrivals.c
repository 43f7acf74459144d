/* SPDX-License-Identifier: MIT */
/* Calls are sorted by label, order and time, so that each group ends with its last one. */
#include "report/torch/arrivals.h"

#include <math.h>
#include <stdlib.h>

#include "report/base/memory.h"

static int arrivals_compare(const void *a, const void *b)
{
	const struct collective_call *left = *(const struct collective_call *const *)a;
	const struct collective_call *right = *(const struct collective_call *const *)b;

	if (left->name != right->name)
		return left->name < right->name ? -1 : 1;
	if (left->ordinal != right->ordinal)
		return left->ordinal < right->ordinal ? -1 : 1;
	return (left->begin_ns > right->begin_ns) - (left->begin_ns < right->begin_ns);
}

/* The last one arrived after all others, however far the clocks of their hosts are off. */
static bool arrivals_has_last(const struct source *source,
			      const struct collective_call *const *call, size_t count)
{
	const struct collective_call *last = call[count - 1];
	struct source_process *const *process;

	source_processes(source, &process);
	for (size_t i = 0; i + 1 < count; i++)
		if (last->begin_ns - call[i]->begin_ns <=
		    source_clocks_doubt_ns(source, process[last->process]->file,
					   process[call[i]->process]->file))
			return false;
	return true;
}

/* One call of several processes, in the order of their arrival. */
static void arrivals_take(struct arrivals *arrivals, const struct source *source,
			  const struct collective_call *const *call, size_t count)
{
	struct arrivals *last = &arrivals[call[count - 1]->process];

	if (count < 2)
		return;
	for (size_t i = 0; i < count; i++)
		arrivals[call[i]->process].calls++;
	if (!arrivals_has_last(source, call, count))
		return;
	last->late_count++;
	last->late_ns += call[count - 1]->begin_ns - call[count - 2]->begin_ns;
}

struct arrivals *arrivals_make(const struct source *source, const struct collectives *collectives)
{
	const struct collective_call **call = memory_zero(collectives->call_count + 1,
							  sizeof(*call));
	struct source_process *const *process;
	struct arrivals *arrivals = memory_zero(source_processes(source, &process) + 1,
						sizeof(*arrivals));
	size_t count = 0, from = 0;

	for (size_t i = 0; i < collectives->call_count; i++)
		if (collectives->call[i].is_matched && collectives->call[i].counts)
			call[count++] = &collectives->call[i];
	qsort(call, count, sizeof(*call), arrivals_compare);
	for (size_t i = 1; i <= count; i++)
		if (i == count || call[i]->name != call[from]->name ||
		    call[i]->ordinal != call[from]->ordinal) {
			arrivals_take(arrivals, source, call + from, i - from);
			from = i;
		}
	free(call);
	return arrivals;
}

bool arrivals_are_last(const struct arrivals *arrivals)
{
	double half = (double)arrivals->calls / 2;

	return !arrivals->calls ||
	       (double)arrivals->late_count > half + sqrt((double)arrivals->calls);
}
