/* SPDX-License-Identifier: MIT */
/*
 * Tells a change from chance, by the spread between runs or inside of them. Pure functions.
 * Errors are standard errors of a value, in its unit; NAN: the data has no spread.
 *
 * Four runs or more, on both sides together, judge by their own spread: a change is noise within the two-sided 99 % interval
 * of Student's t for the difference of two means, with the variance pooled over both sides,
 *
 *   t(0.995, n + m - 2) * s * sqrt(1/n + 1/m),   s^2 = (sum of squares before + sum of squares after) / (n + m - 2)
 *
 * (NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.5.3). With one run after it is the prediction interval of a further run.
 * It assumes that runs are independent and vary alike before and after. One row of a hundred is beyond it by chance. With
 * fewer runs four standard errors inside of the runs are noise; without a spread inside there is no verdict.
 *
 * A change of less than NOISE_MATTERS of the value is `slight`, however certain it is.
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
	VERDICT_SLIGHT, /* too small to matter, noise or not */
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
	double noise;            /* the least change that is more than noise; NAN: not known */
	size_t runs, runs_after; /* that have a value */
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

#define NOISE_MATTERS 0.01 /* of the larger of both values */

/* Runs before and after, in this order; at least one each. The values of a change are means. */
struct change noise_judge(const struct measured *run, size_t before, size_t after, enum unit unit);

#endif
