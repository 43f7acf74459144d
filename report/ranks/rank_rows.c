/* SPDX-License-Identifier: MIT */
/*
 * See rank_rows.h. Rows are filled from steps and calls; then the straggler is looked for: since
 * when it is slow, in which phase, and how long the job's steps would be if it took as long as the
 * median of the others.
 */
#include "report/ranks/rank_rows.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/numbers.h"

#define TENTHS 10u

uint64_t rank_own_ns(const struct step_row *step)
{
	uint64_t away_ns = step->phases.ns[PHASE_communication];

	return step->total_ns > away_ns ? step->total_ns - away_ns : 0;
}

/* --- rows --- */

static struct rank_row *rank_rows_of(struct rank_rows *rows, const struct source *source,
				     const struct source_process *process)
{
	uint64_t rank = source_rank(source, process);

	for (size_t i = 0; i < rows->count; i++)
		if (rows->row[i].process == process)
			return &rows->row[i];
	if (rank == UINT64_MAX)
		return NULL;
	rows->row = memory_room(rows->row, rows->count, &rows->room, sizeof(*rows->row));
	rows->row[rows->count] = (struct rank_row){ .process = process, .rank = rank };
	return &rows->row[rows->count++];
}

static int rank_rows_compare_step(const void *a, const void *b)
{
	const struct step_row *left = *(const struct step_row *const *)a;
	const struct step_row *right = *(const struct step_row *const *)b;

	return (left->number > right->number) - (left->number < right->number);
}

static int rank_rows_compare(const void *a, const void *b)
{
	const struct rank_row *left = a, *right = b;

	if (left->rank != right->rank)
		return left->rank < right->rank ? -1 : 1;
	return (left->process->index > right->process->index) -
	       (left->process->index < right->process->index);
}

static void rank_rows_take_steps(struct rank_rows *rows, const struct source *source,
				 const struct steps *steps)
{
	struct source_process *const *process;

	source_processes(source, &process);
	for (size_t i = 0; i < steps->row_count; i++) {
		struct rank_row *row = rank_rows_of(rows, source, process[steps->row[i].process]);

		/* in the others it is not known how long they waited in collectives */
		if (!row || (steps->has_gpu_windows && !steps->row[i].has_detail))
			continue;
		row->step = memory_room(row->step, row->steps, &row->room, sizeof(*row->step));
		row->step[row->steps++] = &steps->row[i];
	}
	for (size_t i = 0; i < rows->count; i++) {
		struct rank_row *row = &rows->row[i];

		qsort(row->step, row->steps, sizeof(*row->step), rank_rows_compare_step);
		row->steps--;
		memmove(row->step, row->step + 1, row->steps * sizeof(*row->step));
	}
	if (rows->count)
		qsort(rows->row, rows->count, sizeof(*rows->row), rank_rows_compare);
}

/* The median own time of the steps from `from` to before `to`. */
static uint64_t rank_own_p50(const struct rank_row *row, size_t from, size_t to)
{
	uint64_t *value = memory_zero(to - from + 1, sizeof(*value)), median;

	for (size_t i = from; i < to; i++)
		value[i - from] = rank_own_ns(row->step[i]);
	median = numbers_median(value, to - from);
	free(value);
	return median;
}

static void rank_row_add_up(struct rank_row *row)
{
	uint64_t *value = memory_zero(row->steps + 1, sizeof(*value));
	size_t tenth = row->steps / TENTHS;

	for (int phase = 0; phase < STEP_PHASE_LIMIT; phase++) {
		for (size_t i = 0; i < row->steps; i++)
			value[i] = row->step[i]->phases.ns[phase];
		row->phase_p50_ns[phase] = numbers_median(value, row->steps);
	}
	for (size_t i = 0; i < row->steps; i++) {
		value[i] = row->step[i]->total_ns;
		row->gc_ns += row->step[i]->ns[STEP_gc];
	}
	row->step_p50_ns = numbers_median(value, row->steps);
	row->own_p50_ns = rank_own_p50(row, 0, row->steps);
	if (tenth) {
		row->own_first_ns = rank_own_p50(row, 0, tenth);
		row->own_last_ns = rank_own_p50(row, row->steps - tenth, row->steps);
	}
	free(value);
}

/* --- arrival at collectives --- */

static void rank_rows_take_calls(struct rank_rows *rows, const struct source *source,
				 const struct collectives *collectives)
{
	struct arrivals *arrivals = arrivals_make(source, collectives);

	for (size_t i = 0; i < rows->count; i++)
		rows->row[i].arrivals = arrivals[rows->row[i].process->index];
	free(arrivals);
}

/* --- the straggler --- */

/* The median of the others' medians: of their own time, or of a phase. */
static uint64_t rank_rows_others_p50(const struct rank_rows *rows, size_t but, int phase)
{
	uint64_t *value = memory_zero(rows->count + 1, sizeof(*value)), median;
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++)
		if (i != but)
			value[count++] = phase < 0 ? rows->row[i].own_p50_ns
						   : rows->row[i].phase_p50_ns[phase];
	median = numbers_median(value, count);
	free(value);
	return median;
}

static bool rank_rows_is_slow(const struct rank_rows *rows, size_t index)
{
	return (double)rows->row[index].own_p50_ns >
	       RANK_SLOW * (double)rank_rows_others_p50(rows, index, -1);
}

/*
 * From the step on after which most steps are slow: the earliest tenth of which, and of all later
 * ones, the median is.
 */
static uint64_t rank_rows_since(const struct rank_rows *rows, const struct rank_row *row)
{
	size_t from = 0;

	for (size_t tenth = 0; tenth < TENTHS; tenth++) {
		size_t begin = row->steps * tenth / TENTHS, end = row->steps * (tenth + 1) / TENTHS;

		if (begin < end && (double)rank_own_p50(row, begin, end) <=
					   RANK_SLOW * (double)rows->others_p50_ns)
			from = end;
	}
	return from < row->steps ? row->step[from]->number : UINT64_MAX;
}

static const struct step_row *rank_row_step(const struct rank_row *row, uint64_t number)
{
	size_t low = 0, high = row->steps;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (row->step[middle]->number == number)
			return row->step[middle];
		if (row->step[middle]->number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/*
 * A step of the job takes as long as the slowest rank works on its own. If the straggler took the
 * median of the others, each step would take as long as the slowest of the others, or that median.
 */
static double rank_rows_gain(const struct rank_rows *rows, const struct rank_row *slow)
{
	double all_ns = 0, without_ns = 0;

	for (size_t i = 0; i < slow->steps; i++) {
		uint64_t own_ns = rank_own_ns(slow->step[i]), most_ns = rows->others_p50_ns;

		for (size_t r = 0; r < rows->count; r++) {
			const struct step_row *step = &rows->row[r] == slow
							      ? NULL
							      : rank_row_step(
									&rows->row[r],
									slow->step[i]->number);

			if (step && rank_own_ns(step) > most_ns)
				most_ns = rank_own_ns(step);
		}
		all_ns += (double)(own_ns > most_ns ? own_ns : most_ns);
		without_ns += (double)most_ns;
	}
	return all_ns > 0 ? 100 * (all_ns - without_ns) / all_ns : 0;
}

static void rank_rows_look_at(struct rank_rows *rows, size_t index)
{
	const struct rank_row *row = &rows->row[index];

	rows->straggler = index;
	rows->others_p50_ns = rank_rows_others_p50(rows, index, -1);
	for (int phase = 0; phase < STEP_PHASE_LIMIT; phase++) {
		uint64_t others_ns = rank_rows_others_p50(rows, index, phase);

		if (phase == PHASE_communication || row->phase_p50_ns[phase] <= others_ns ||
		    row->phase_p50_ns[phase] - others_ns <= rows->slower_ns)
			continue;
		rows->slower_in = (enum step_phase)phase;
		rows->slower_ns = row->phase_p50_ns[phase] - others_ns;
	}
	rows->since_step = rank_rows_since(rows, row);
	rows->gain_percent = rank_rows_gain(rows, row);
}

/* The one that works longest, if it stands out; SIZE_MAX: none does. */
static size_t rank_rows_slowest(const struct rank_rows *rows)
{
	size_t slowest = 0;

	for (size_t i = 0; i < rows->count; i++) {
		if (rows->row[i].steps < RANK_STEPS_MIN)
			return SIZE_MAX;
		if (rows->row[i].own_p50_ns > rows->row[slowest].own_p50_ns)
			slowest = i;
	}
	if (rows->count < 2 || !rank_rows_is_slow(rows, slowest))
		return SIZE_MAX;
	for (size_t i = 0; i < rows->count; i++)
		if (i != slowest && rank_rows_is_slow(rows, i) &&
		    RANK_SLOW * (double)rows->row[i].own_p50_ns >=
			    (double)rows->row[slowest].own_p50_ns)
			return SIZE_MAX; /* neither is the one that all wait for */
	return slowest;
}

static void rank_rows_find_straggler(struct rank_rows *rows)
{
	size_t slowest = rank_rows_slowest(rows);

	rows->straggler = SIZE_MAX;
	if (slowest != SIZE_MAX && arrivals_are_last(&rows->row[slowest].arrivals))
		rank_rows_look_at(rows, slowest);
}

void rank_rows_make(struct rank_rows *rows, const struct source *source, const struct steps *steps,
		    const struct collectives *collectives)
{
	uint64_t best_ns = UINT64_MAX;

	rank_rows_take_steps(rows, source, steps);
	for (size_t i = 0; i < rows->count; i++) {
		rank_row_add_up(&rows->row[i]);
		if (rows->row[i].steps && rows->row[i].own_p50_ns < best_ns)
			best_ns = rows->row[i].own_p50_ns;
	}
	for (size_t i = 0; i < rows->count; i++)
		rows->row[i].score = rows->row[i].own_p50_ns
					     ? (double)best_ns / (double)rows->row[i].own_p50_ns
					     : 0;
	rank_rows_take_calls(rows, source, collectives);
	rank_rows_find_straggler(rows);
}

void rank_rows_release(struct rank_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		free(rows->row[i].step);
	free(rows->row);
}
