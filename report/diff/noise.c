/* SPDX-License-Identifier: MIT */
/* See noise.h. */
#include "report/diff/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

#define ERRORS_OF_NOISE \
	4.0 /* standard errors: few blocks, and runs differ in more than they show inside */
#define CALLS_MIN 10  /* of which a spread is believed */
#define CALLS_MAX 100 /* that count as independent */
#define BLOCKS_MAX 10u
#define RUNS_MIN 3u /* of which a spread between runs is believed */

const char *const verdict_names[VERDICT_LIMIT] = {
	[VERDICT_SAME] = "same",       [VERDICT_NOISE] = "noise", [VERDICT_LONGER] = "longer",
	[VERDICT_SHORTER] = "shorter", [VERDICT_MORE] = "more",   [VERDICT_LESS] = "less",
	[VERDICT_NEW] = "new",         [VERDICT_GONE] = "gone",
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

static double deviation_of(const double *value, size_t count)
{
	double mean = mean_of(value, count), squares = 0;

	for (size_t i = 0; i < count; i++)
		squares += (value[i] - mean) * (value[i] - mean);
	return sqrt(squares / (double)(count - 1));
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

/* Two-sided, 99 of 100, by degrees of freedom. */
static double student(size_t freedom)
{
	static const double table[] = { 0,     63.66, 9.925, 5.841, 4.604, 4.032,
					3.707, 3.499, 3.355, 3.250, 3.169 };

	return freedom < sizeof(table) / sizeof(table[0]) ? table[freedom] : 3.169;
}

/* What a further run like those would stay within. */
static double noise_between(const double *value, size_t count)
{
	return student(count - 1) * deviation_of(value, count) * sqrt(1 + 1 / (double)count);
}

static double noise_within(const struct measured *before, size_t count,
			   const struct measured *after)
{
	double squares = 0, runs = 0;

	for (size_t i = 0; i < count; i++) {
		if (!before[i].has)
			continue;
		squares += before[i].error * before[i].error;
		runs++;
	}
	return ERRORS_OF_NOISE * sqrt(squares / (runs * runs) + after->error * after->error);
}

/* So little was seen of it that another run of the same may well see nothing. */
static bool is_missed_by_chance(const struct measured *one)
{
	return one->is_sampled && (isnan(one->error) || one->value <= ERRORS_OF_NOISE * one->error);
}

/* Of what only one side has. */
static enum verdict verdict_of_one_side(const struct measured *before, size_t count,
					const struct measured *after)
{
	bool by_chance = true, has_before = false;

	for (size_t i = 0; i < count; i++) {
		if (!before[i].has)
			continue;
		has_before = true;
		by_chance &= is_missed_by_chance(&before[i]);
	}
	if (after->has)
		return is_missed_by_chance(after) ? VERDICT_NOISE : VERDICT_NEW;
	if (!has_before)
		return VERDICT_NONE;
	return by_chance ? VERDICT_NOISE : VERDICT_GONE;
}

static enum verdict verdict_of(const struct change *change, enum unit unit)
{
	bool is_time = unit == UNIT_NS || unit == UNIT_SECONDS,
	     is_counted = unit == UNIT_COUNT || unit == UNIT_BYTES || unit == UNIT_CLASS;
	double by = change->after - change->before;

	if (by == 0)
		return VERDICT_SAME;
	if (isnan(change->noise) && !is_counted)
		return VERDICT_NONE;
	if (fabs(by) <= change->noise)
		return VERDICT_NOISE;
	if (is_time)
		return by > 0 ? VERDICT_LONGER : VERDICT_SHORTER;
	return by > 0 ? VERDICT_MORE : VERDICT_LESS;
}

struct change noise_judge(const struct measured *before, size_t count, const struct measured *after,
			  enum unit unit)
{
	struct change change = { .has_after = after->has, .after = after->value, .noise = NAN };
	double *value = memory_zero(count, sizeof(*value));

	for (size_t i = 0; i < count; i++)
		if (before[i].has)
			value[change.runs++] = before[i].value;
	change.has_before = change.runs > 0;
	if (change.has_before)
		change.before = mean_of(value, change.runs);
	if (change.has_before && change.has_after)
		change.noise = change.runs >= RUNS_MIN ? noise_between(value, change.runs)
						       : noise_within(before, count, after);
	change.verdict = change.has_before && change.has_after
				 ? verdict_of(&change, unit)
				 : verdict_of_one_side(before, count, after);
	free(value);
	return change;
}
