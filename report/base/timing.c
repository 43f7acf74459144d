/* SPDX-License-Identifier: MIT */
/* Durations of one kind of thing: running sums, and a histogram for percentiles. */
#include "report/base/timing.h"

#include <math.h>

void timing_release(struct timing *timing)
{
	histogram_release(&timing->durations);
	*timing = (struct timing){ 0 };
}

void timing_add(struct timing *timing, uint64_t duration_ns)
{
	double difference = (double)duration_ns - timing->mean;

	if (!timing->count || duration_ns < timing->min_ns)
		timing->min_ns = duration_ns;
	if (duration_ns > timing->max_ns)
		timing->max_ns = duration_ns;
	timing->count++;
	timing->total_ns += duration_ns;
	timing->mean += difference / (double)timing->count;
	timing->squares += difference * ((double)duration_ns - timing->mean);
	histogram_add(&timing->durations, duration_ns, 1);
}

bool timing_add_sums(struct timing *timing, const struct timing_sums *sums)
{
	struct timing from = { .count = sums->count,
			       .total_ns = sums->total_ns,
			       .min_ns = sums->min_ns,
			       .max_ns = sums->max_ns,
			       .squares = (double)sums->squares,
			       .has_sums = true };

	if (!sums->count || sums->min_ns > sums->max_ns || sums->max_ns > sums->total_ns ||
	    sums->total_ns / sums->count > sums->max_ns ||
	    sums->total_ns / sums->count < sums->min_ns)
		return false;
	from.mean = (double)sums->total_ns / (double)sums->count;
	timing_merge(timing, &from);
	return true;
}

void timing_merge(struct timing *into, const struct timing *from)
{
	double both = (double)(into->count + from->count), difference = from->mean - into->mean;

	if (!from->count)
		return;
	/* Chan, Golub, LeVeque: variance of two samples together */
	into->squares += from->squares +
			 difference * difference * (double)into->count * (double)from->count / both;
	into->mean += difference * (double)from->count / both;
	if (!into->count || from->min_ns < into->min_ns)
		into->min_ns = from->min_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	into->count += from->count;
	into->total_ns += from->total_ns;
	into->has_sums |= from->has_sums;
	histogram_merge(&into->durations, &from->durations);
}

uint64_t timing_average(const struct timing *timing)
{
	return timing->count ? (timing->total_ns + timing->count / 2) / timing->count : 0;
}

uint64_t timing_percentile(const struct timing *timing, double percent)
{
	uint64_t value = histogram_percentile(&timing->durations, percent);

	if (value > timing->max_ns)
		return timing->max_ns;
	return value < timing->min_ns ? timing->min_ns : value;
}

uint64_t timing_stddev(const struct timing *timing)
{
	return timing->count > 1
		       ? (uint64_t)(sqrt(timing->squares / (double)(timing->count - 1)) + 0.5)
		       : 0;
}
