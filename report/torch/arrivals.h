/* SPDX-License-Identifier: MIT */
/*
 * Which process is the last to arrive at collectives. Calls belong together by their order
 * (collectives.h); the one that begins last is late, by its distance to the one before it. Between
 * hosts it is only if that is more than their clocks may be off.
 *
 * To be used by one thread, once all is read.
 */
#ifndef REPORT_TORCH_ARRIVALS_H
#define REPORT_TORCH_ARRIVALS_H

#include "report/torch/collectives.h"

struct arrivals {
	uint64_t calls; /* those that are matched */
	uint64_t late_count, late_ns;
};

/* Returns one for each process of the source, by its index. The caller frees them. */
struct arrivals *arrivals_make(const struct source *source, const struct collectives *collectives);

/*
 * Whether it arrives last in more than half of its calls, and in more than a coin would say in 39
 * of 40 cases. True where none is matched: then nothing says that it does not.
 */
bool arrivals_are_last(const struct arrivals *arrivals);

#endif
