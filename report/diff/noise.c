/* SPDX-License-Identifier: MIT */
/*
 * noise_judge() compares means. It uses the spread between runs if there are enough runs, otherwise
 * the errors inside of the runs. A series is cut into up to BLOCKS_MAX blocks, since neighbouring
 * steps are not independent.
 */
#include "report/diff/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

/* in standard errors: there are few blocks, and runs differ by more than they vary inside */
#define ERRORS_OF_NOISE 4.0
#define CALLS_MIN 10  /* with fewer calls, the spread is not used */
#define CALLS_MAX 100 /* more calls do not count as independent */
#define BLOCKS_MAX 10u
#define FREEDOM_MIN 2u /* with fewer degrees of freedom, the spread between runs is not used */

const char *const verdict_names[VERDICT_LIMIT] = {
	[VERDICT_SAME] = "same",     [VERDICT_NOISE] = "noise",     [VERDICT_SLIGHT] = "slight",
	[VERDICT_LONGER] = "longer", [VERDICT_SHORTER] = "shorter", [VERDICT_MORE] = "more",
	[VERDICT_LESS] = "less",     [VERDICT_NEW] = "new",         [VERDICT_GONE] = "gone",
};

double noise_of_calls(double deviation, double calls)
{
	if (!(calls >= CALLS_MIN) || !isfinite(deviation))
		return NAN;
	return deviation / sqrt(calls < CALLS_MAX ? calls : CALLS_MAX);
}

double noise_of_samples(double value, double samples)
{
	return samples >= 1 && isfinite(value) ? fabs(value) / sqrt(samples) : NAN;
}

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double middle_of(const double *value, size_t count)
{
	double *sorted = memory_zero(count, sizeof(*sorted)), middle;

	memcpy(sorted, value, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_doubles);
	middle = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
	free(sorted);
	return middle;
}

static double mean_of(const double *value, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += value[i];
	return sum / (double)count;
}

/* Returns the sum of squares of the distances from the mean. */
static double squares_of(const double *value, size_t count)
{
	double mean = count ? mean_of(value, count) : 0;
	double squares = 0;

	for (size_t i = 0; i < count; i++)
		squares += (value[i] - mean) * (value[i] - mean);
	return squares;
}

static double deviation_of(const double *value, size_t count)
{
	return sqrt(squares_of(value, count) / (double)(count - 1));
}

double noise_of_series(const double *value, size_t count, bool is_median)
{
	double block[BLOCKS_MAX];
	size_t blocks = count / 2 < BLOCKS_MAX ? count / 2 : BLOCKS_MAX;

	if (count < NOISE_STEPS_MIN)
		return NAN;
	for (size_t i = 0; i < blocks; i++) {
		size_t from = count * i / blocks, to = count * (i + 1) / blocks;

		block[i] = is_median ? middle_of(value + from, to - from)
				     : mean_of(value + from, to - from);
	}
	return deviation_of(block, blocks) / sqrt((double)blocks);
}

/* Student's t, two-sided, for 99 of 100, by degrees of freedom. */
static double student(size_t freedom)
{
	static const double table[] = { 0,     63.66, 9.925, 5.841, 4.604, 4.032,
					3.707, 3.499, 3.355, 3.250, 3.169 };

	return freedom < sizeof(table) / sizeof(table[0]) ? table[freedom] : 3.169;
}

/* The values of the runs of one side that have one. */
struct values {
	double *value;
	size_t count;
};

static double noise_between(const struct values *before, const struct values *after)
{
	size_t freedom = before->count + after->count - 2;
	double squares = squares_of(before->value, before->count) +
			 squares_of(after->value, after->count);

	return student(freedom) * sqrt(squares / (double)freedom) *
	       sqrt(1 / (double)before->count + 1 / (double)after->count);
}

/* Returns the squared standard error of the mean of the runs. */
static double error_within(const struct measured *run, size_t count)
{
	double squares = 0, runs = 0;

	for (size_t i = 0; i < count; i++) {
		if (!run[i].has)
			continue;
		squares += run[i].error * run[i].error;
		runs++;
	}
	return squares / (runs * runs);
}

/*
 * The same of what was sampled: runs that have none, or few, may agree by chance. Too few for an
 * error may all be missing.
 */
static double error_of_samples(const struct measured *run, size_t count)
{
	double squares = 0, runs = 0, error;

	for (size_t i = 0; i < count; i++) {
		if (!run[i].has)
			continue;
		error = isnan(run[i].error) ? run[i].value : run[i].error;
		squares += run[i].is_sampled ? error * error : 0;
		runs++;
	}
	return squares / (runs * runs);
}

/* Returns whether so little was sampled that another equal run may well have nothing. */
static bool is_missed_by_chance(const struct measured *one)
{
	return one->is_sampled && (isnan(one->error) || one->value <= ERRORS_OF_NOISE * one->error);
}

static bool are_missed_by_chance(const struct measured *run, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (run[i].has && !is_missed_by_chance(&run[i]))
			return false;
	return true;
}

/* For what only one side has. */
static enum verdict verdict_of_one_side(const struct change *change, const struct measured *run,
					size_t before, size_t after)
{
	if (change->has_after)
		return are_missed_by_chance(run + before, after) ? VERDICT_NOISE : VERDICT_NEW;
	if (!change->has_before)
		return VERDICT_NONE;
	return are_missed_by_chance(run, before) ? VERDICT_NOISE : VERDICT_GONE;
}

static enum verdict verdict_of(const struct change *change, enum unit unit)
{
	bool is_time = unit == UNIT_NS || unit == UNIT_SECONDS;
	double by = change->after - change->before;

	if (by == 0)
		return VERDICT_SAME;
	if (fabs(by) <= change->noise)
		return VERDICT_NOISE;
	if (fabs(by) < NOISE_MATTERS * fmax(fabs(change->before), fabs(change->after)))
		return VERDICT_SLIGHT;
	if (isnan(change->noise))
		return VERDICT_NONE;
	if (is_time)
		return by > 0 ? VERDICT_LONGER : VERDICT_SHORTER;
	return by > 0 ? VERDICT_MORE : VERDICT_LESS;
}

static struct values values_of(const struct measured *run, size_t count)
{
	struct values values = { memory_zero(count + 1, sizeof(*values.value)), 0 };

	for (size_t i = 0; i < count; i++)
		if (run[i].has)
			values.value[values.count++] = run[i].value;
	return values;
}

struct change noise_judge(const struct measured *run, size_t before, size_t after, enum unit unit)
{
	struct values was = values_of(run, before), is = values_of(run + before, after);
	struct change change = { .has_before = was.count,
				 .has_after = is.count,
				 .noise = NAN,
				 .runs = was.count,
				 .runs_after = is.count };

	if (was.count)
		change.before = mean_of(was.value, was.count);
	if (is.count)
		change.after = mean_of(is.value, is.count);
	if (!was.count || !is.count) {
		change.verdict = verdict_of_one_side(&change, run, before, after);
	} else {
		change.noise = was.count + is.count - 2 >= FREEDOM_MIN
				       ? fmax(noise_between(&was, &is),
					      ERRORS_OF_NOISE *
						      sqrt(error_of_samples(run, before) +
							   error_of_samples(run + before, after)))
				       : ERRORS_OF_NOISE * sqrt(error_within(run, before) +
								error_within(run + before, after));
		change.verdict = verdict_of(&change, unit);
	}
	free(was.value);
	free(is.value);
	return change;
}
