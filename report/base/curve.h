/* SPDX-License-Identifier: MIT */
/*
 * A value over time in bounded memory: the greatest value in each of at most CURVE_BUCKETS
 * intervals, whose width doubles whenever the run outgrows them.
 */
#ifndef REPORT_BASE_CURVE_H
#define REPORT_BASE_CURVE_H

#include <stddef.h>
#include <stdint.h>

#define CURVE_BUCKETS 512

struct curve {
	uint64_t width_ns, end_ns; /* width of a bucket; end of the bucket being filled */
	size_t at;                 /* index of the bucket being filled */
	uint64_t last;             /* current value */
	uint64_t highest[CURVE_BUCKETS];
};

void curve_init(struct curve *curve);
void curve_advance(struct curve *curve, uint64_t time_ns);

/* Sets the value from `time_ns` on. An earlier time than the last one counts as the last one. */
static inline void curve_put(struct curve *curve, uint64_t time_ns, uint64_t value)
{
	if (__builtin_expect(time_ns >= curve->end_ns, 0))
		curve_advance(curve, time_ns);
	curve->last = value;
	if (value > curve->highest[curve->at])
		curve->highest[curve->at] = value;
}

/* Returns the greatest values in `count` equal intervals of [0, end_ns). */
void curve_sample(const struct curve *curve, uint64_t end_ns, uint64_t *ret_values, size_t count);
/* The same of [from_ns, end_ns). */
void curve_sample_from(const struct curve *curve, uint64_t from_ns, uint64_t end_ns,
		       uint64_t *ret_values, size_t count);

#endif
