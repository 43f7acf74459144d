/* SPDX-License-Identifier: MIT */
/*
 * Whether the memory of a program grows throughout a run without steps, or of a server from its
 * first request to its last, as far as blocks of the heap and Python's arenas tell: both over time,
 * without the first quarter, which counts as the start of the program or fills its caches. Small
 * objects of Python are in arenas alone. A recording of several processes is not judged, because
 * processes that come and go look like growth.
 */
#ifndef REPORT_ADVICE_RUN_GROWTH_H
#define REPORT_ADVICE_RUN_GROWTH_H

#include "report/advice/bottleneck.h"

struct run_growth {
	/* bytes of the heap and of Python's arenas in the first window and in the last one */
	uint64_t heap_first, heap_last, arenas_first, arenas_last;
};

/* Returns whether it grows. */
bool run_growth_look(const struct bottleneck *bottleneck, struct run_growth *ret_growth);
/*
 * Says it, of a run without requests as a note, with the line that needed most arenas where those
 * are most of the growth.
 */
bool run_growth_say(const struct bottleneck *bottleneck, struct advice *advice);

#endif
