/* SPDX-License-Identifier: MIT */
/*
 * Durations of one kind of thing: their number, sum, extremes, spread and percentiles. A timing of
 * zeros is empty. Memory: that of its histogram.
 */
#ifndef REPORT_BASE_TIMING_H
#define REPORT_BASE_TIMING_H

#include <stdbool.h>

#include "report/base/histogram.h"

struct timing {
	uint64_t count, total_ns, min_ns, max_ns;
	double mean, squares; /* Welford: mean, and sum of squared differences from it */
	struct histogram durations;
	bool has_sums; /* some are known only as sums, so there are no percentiles */
};

void timing_release(struct timing *timing);
void timing_add(struct timing *timing, uint64_t duration_ns);
/*
 * Durations of which only these sums are known: `squares` as above, of their own mean. Nothing if
 * they cannot be true.
 */
struct timing_sums {
	uint64_t count, total_ns, min_ns, max_ns, squares;
};
/* Returns false, and adds nothing, if no calls can have these sums. */
bool timing_add_sums(struct timing *timing, const struct timing_sums *sums);
void timing_merge(struct timing *into, const struct timing *from);

/* Rounded; 0 if it is empty. */
uint64_t timing_average(const struct timing *timing);
/* Within 1 %, and never outside of the extremes; 0 if it is empty. */
uint64_t timing_percentile(const struct timing *timing, double percent);
/* Of the sample (n - 1), as nsys computes it; 0 for fewer than two. */
uint64_t timing_stddev(const struct timing *timing);

#endif
