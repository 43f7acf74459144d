/* SPDX-License-Identifier: MIT */
/*
 * A line of the summary on a thread that could run but had no CPU: without it, the effects of a
 * busy machine would seem to be the program's.
 */
#include <stdio.h>

#include "report/base/units.h"
#include "report/summary/summary_screen.h"

#define READY_NS_MIN 1000000000u
#define READY_SHARE_MIN 0.25 /* of the life of the thread */

static bool is_busier(const struct thread_times *times, const struct thread_times *than)
{
	return times->cpu_ns + times->runnable_ns > than->cpu_ns + than->runnable_ns;
}

const struct source_thread *summary_busiest_thread(const struct summary *summary,
						   struct thread_times *ret_times)
{
	struct source_thread *const *thread;
	size_t count = source_threads(summary->source, &thread);
	const struct source_thread *found = NULL;

	*ret_times = (struct thread_times){ .has_cpu = false };
	for (size_t i = 0; i < count; i++) {
		struct thread_times times = thread_times(thread[i]);

		if (!times.has_waits || !is_busier(&times, ret_times))
			continue;
		*ret_times = times;
		found = thread[i];
	}
	return found;
}

void summary_print_ready(const struct summary *summary, const struct screen *screen)
{
	char ready[UNIT_TEXT_BYTES], lived[UNIT_TEXT_BYTES], of[48] = "";
	const struct source_thread *thread;
	struct thread_times times;
	uint64_t lived_ns;

	thread = summary_busiest_thread(summary, &times);
	if (!thread || run_filters(summary->run)->any || thread->end_ns <= thread->start_ns)
		return;
	lived_ns = thread->end_ns - thread->start_ns;
	if (times.runnable_ns < READY_NS_MIN ||
	    (double)times.runnable_ns < READY_SHARE_MIN * (double)lived_ns)
		return;
	if (summary->totals.processes > 1)
		snprintf(of, sizeof(of), ", in process %u,", thread->process->pid);
	screen_print_prose(
		screen,
		"The busiest thread%s had no CPU for %s of its %s although it could have run: "
		"others used the CPUs, or a CPU limit applies (prof-report threads).",
		of,
		unit_format_ns(ready, times.runnable_ns < lived_ns ? times.runnable_ns : lived_ns),
		unit_format_ns(lived, lived_ns));
}
