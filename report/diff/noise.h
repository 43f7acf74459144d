/* SPDX-License-Identifier: MIT */
/*
 * Distinguishes a change from chance, by the spread between runs or inside of them. Pure functions.
 * Errors are standard errors of a value, in its unit; NAN: the data has no spread.
 *
 * With four or more runs, on both sides together, the spread between runs decides: a change is
 * noise if it is within the two-sided 99 % interval of Student's t for the difference of two means,
 * with the variance pooled over both sides,
 *
 *   t(0.995, n + m - 2) * s * sqrt(1/n + 1/m)
 *   s^2 = (sum of squares before + sum of squares after) / (n + m - 2)
 *
 * (NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.5.3). With one run after, this is the
 * prediction interval of a further run. It assumes that runs are independent and vary equally
 * before and after. One row in a hundred exceeds it by chance. What is sampled varies at least by
 * four standard errors of its samples: runs without any tell nothing of the spread. With fewer
 * runs, a change is noise if it is within four standard errors inside of the runs; without a
 * spread inside of the runs there is no verdict.
 *
 * A change of less than NOISE_MATTERS of the value is `slight`, however certain it is.
 */
#ifndef REPORT_DIFF_NOISE_H
#define REPORT_DIFF_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/base/units.h"

enum verdict {
	VERDICT_NONE, /* cannot be decided */
	VERDICT_SAME,
	VERDICT_NOISE,
	VERDICT_SLIGHT, /* too small to matter, whether noise or not */
	VERDICT_LONGER,
	VERDICT_SHORTER,
	VERDICT_MORE,
	VERDICT_LESS,
	VERDICT_NEW,  /* only after, and more than samples miss by chance */
	VERDICT_GONE, /* only before, with the same condition */
	VERDICT_LIMIT,
};
extern const char *const verdict_names[VERDICT_LIMIT]; /* NULL for VERDICT_NONE */

/* A value of one run. */
struct measured {
	bool has; /* the run has a value */
	double value, error;
	bool is_sampled; /* a run without a value may have had no sample of it by chance */
};

struct change {
	bool has_before, has_after;
	double before, after;
	double noise;            /* the smallest change that is more than noise; NAN: not known */
	size_t runs, runs_after; /* runs that have a value */
	enum verdict verdict;
};

/* For a mean of durations with that standard deviation. */
double noise_of_calls(double deviation, double calls);
/* For a time that was estimated from samples. */
double noise_of_samples(double value, double samples);
/*
 * For the mean or the median of durations in their order: computed by blocks of neighbours, which
 * are similar. Returns NAN for fewer than NOISE_STEPS_MIN.
 */
#define NOISE_STEPS_MIN 10u
double noise_of_series(const double *value, size_t count, bool is_median);

#define NOISE_MATTERS 0.01 /* of the larger one of the two values */

/*
 * The runs before and then the runs after; at least one of each. The values of a change are means.
 */
struct change noise_judge(const struct measured *run, size_t before, size_t after, enum unit unit);

#endif
