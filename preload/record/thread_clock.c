/* SPDX-License-Identifier: MIT */
/*
 * At the start, MEASURED readings are timed, and the fastest determines the interval. A reading
 * goes into the ring and makes the next one due an interval later.
 */
#include "preload/record/thread_clock.h"

#define MEASURED 5u /* readings; the fastest counts */

uint64_t thread_clock_interval = THREAD_CLOCK_TICKS;

void thread_clock_begin(void)
{
	uint64_t shortest = clock_is_tsc ? THREAD_CLOCK_TICKS : THREAD_CLOCK_NS;
	uint64_t least = UINT64_MAX, interval;

	for (unsigned int i = 0; i < MEASURED; i++) {
		uint64_t start = clock_ticks(), took;

		(void)thread_clock_ns();
		took = clock_ticks() - start;
		if (took < least)
			least = took;
	}
	interval = least < shortest ? least * THREAD_CLOCK_SHARE : shortest * THREAD_CLOCK_LONGEST;
	if (interval < shortest)
		interval = shortest;
	if (interval > shortest * THREAD_CLOCK_LONGEST)
		interval = shortest * THREAD_CLOCK_LONGEST;
	thread_clock_interval = interval;
}

uint64_t thread_clock_read(struct recorder_lane *lane)
{
	uint64_t cpu_ns = thread_clock_ns();
	uint64_t ticks =
		/*
		 * read the clock first: if the thread loses its CPU in between, the time is late,
		 * not early
		 */
		recorder_now();

	if (!cpu_ns) {
		recorder_self.clock_due = UINT64_MAX;
		return ticks;
	}
	recorder_self.clock_due = ticks + thread_clock_interval;
	(void)recorder_put(lane, EVT_thread_clock, ticks, &cpu_ns, 1);
	return ticks;
}

void thread_clock_record(void)
{
	struct recorder_lane *lane = NULL;

	for (unsigned int any = 0; any < EVT_FAMILY_LIMIT && !lane; any++)
		lane = recorder_enter(any, RECORDER_IN_RECORD);
	if (!lane)
		return;
	if (recorder_self.clock_due != UINT64_MAX)
		(void)thread_clock_read(lane);
	recorder_leave(lane);
}
