/* SPDX-License-Identifier: MIT */
/* A value over time in bounded memory: if the run outgrows the buckets, each pair becomes one. */
#include "report/base/curve.h"

#include <string.h>

#define WIDTH_FIRST_NS 4096

void curve_init(struct curve *curve)
{
	memset(curve, 0, sizeof(*curve));
	curve->width_ns = WIDTH_FIRST_NS;
	curve->end_ns = curve->width_ns;
}

/* Merges each pair of buckets into one. */
static void curve_halve(struct curve *curve)
{
	for (size_t i = 0; i < CURVE_BUCKETS / 2; i++) {
		uint64_t a = curve->highest[2 * i], b = curve->highest[2 * i + 1];

		curve->highest[i] = a > b ? a : b;
	}
	memset(&curve->highest[CURVE_BUCKETS / 2], 0, sizeof(curve->highest) / 2);
	curve->width_ns *= 2;
	curve->at /= 2;
}

void curve_advance(struct curve *curve, uint64_t time_ns)
{
	size_t to;

	if (time_ns >= UINT64_MAX / 2)
		return; /* a time that no writer can have written */
	while (time_ns / curve->width_ns >= CURVE_BUCKETS)
		curve_halve(curve);
	to = (size_t)(time_ns / curve->width_ns);
	for (size_t i = curve->at + 1; i <= to; i++)
		curve->highest[i] = curve->last;
	curve->at = to;
	curve->end_ns = (to + 1) * curve->width_ns;
}

void curve_sample_from(const struct curve *curve, uint64_t from_ns, uint64_t end_ns,
		       uint64_t *ret_values, size_t count)
{
	double all_ns = end_ns > from_ns ? (double)(end_ns - from_ns) : 0;

	for (size_t i = 0; i < count; i++) {
		size_t from = (size_t)(((double)from_ns + all_ns * (double)i / (double)count) /
				       (double)curve->width_ns);
		size_t to = (size_t)(((double)from_ns + all_ns * (double)(i + 1) / (double)count) /
				     (double)curve->width_ns);

		ret_values[i] = from > curve->at ? curve->last : 0;
		for (size_t b = from; b <= to && b <= curve->at && (b < to || b == from); b++)
			if (curve->highest[b] > ret_values[i])
				ret_values[i] = curve->highest[b];
	}
}

void curve_sample(const struct curve *curve, uint64_t end_ns, uint64_t *ret_values, size_t count)
{
	curve_sample_from(curve, 0, end_ns, ret_values, count);
}
