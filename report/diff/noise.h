/* SPDX-License-Identifier: MIT */
/*
 * Whether a change is more than chance, from the spread inside of runs or between them. Pure functions.
 * Errors are standard errors of a value, in its unit; NAN: the data has no spread.
 */
#ifndef REPORT_DIFF_NOISE_H
#define REPORT_DIFF_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/base/units.h"

enum verdict {
	VERDICT_NONE, /* cannot be told */
	VERDICT_SAME,
	VERDICT_NOISE,
	VERDICT_LONGER,
	VERDICT_SHORTER,
	VERDICT_MORE,
	VERDICT_LESS,
	VERDICT_NEW,  /* only after, by more than looks miss by chance */
	VERDICT_GONE, /* only before, likewise */
	VERDICT_LIMIT,
};
extern const char *const verdict_names[VERDICT_LIMIT]; /* NULL for VERDICT_NONE */

/* Of one run. */
struct measured {
	bool has; /* the run has a value */
	double value, error;
	bool is_sampled; /* where a run has none, no look may have met it */
};

struct change {
	bool has_before, has_after;
	double before, after;
	double noise; /* the least change that is more than noise; NAN: not known */
	size_t runs;  /* before, that have a value */
	enum verdict verdict;
};

/* Of a mean of durations with that standard deviation. */
double noise_of_calls(double deviation, double calls);
/* Of a time that was estimated from samples. */
double noise_of_samples(double value, double samples);
/*
 * Of the mean or the median of durations in the order in which they were: by blocks of neighbours, which are alike.
 * NAN for fewer than NOISE_STEPS_MIN.
 */
#define NOISE_STEPS_MIN 10u
double noise_of_series(const double *value, size_t count, bool is_median);

/* Of `count` runs before, at least one, and one after. */
struct change noise_judge(const struct measured *before, size_t count, const struct measured *after,
			  enum unit unit);

#endif
