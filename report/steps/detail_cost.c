/* SPDX-License-Identifier: MIT */
/*
 * The step without detail beside an edge holds the cost of the switch, so it is compared apart.
 * Drifts cancel out, because windows begin as often as they end.
 */
#include "report/steps/detail_cost.h"

#include <stdlib.h>

#include "report/base/memory.h"

#define SIDE 4u      /* steps on each side of an edge, at most */
#define SIDE_MIN 2u  /* at least */
#define EDGES_MIN 8u /* fewer differences say little */

/* The rows of all processes, in the order of process and number. */
struct sequence {
	const struct step_row **row;
	size_t count;
};

struct differences {
	double *of_step, *of_edge;
	size_t count, edges;
};

static int detail_cost_compare_rows(const void *a, const void *b)
{
	const struct step_row *left = *(const struct step_row *const *)a;
	const struct step_row *right = *(const struct step_row *const *)b;

	if (left->process != right->process)
		return left->process < right->process ? -1 : 1;
	return (left->number > right->number) - (left->number < right->number);
}

static int detail_cost_compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static double detail_cost_median(double *number, size_t count)
{
	qsort(number, count, sizeof(*number), detail_cost_compare);
	return (number[(count - 1) / 2] + number[count / 2]) / 2;
}

static bool rows_adjoin(const struct step_row *first, const struct step_row *second)
{
	return first->process == second->process && first->number + 1 == second->number;
}

/* Returns the row beside it in that direction, NULL: none adjoins. */
static const struct step_row *row_beside(const struct sequence *sequence, size_t at, int way)
{
	size_t other = at + (size_t)(way > 0 ? 1 : -1);

	if (other >= sequence->count)
		return NULL;
	return rows_adjoin(sequence->row[way > 0 ? at : other], sequence->row[way > 0 ? other : at])
		       ? sequence->row[other]
		       : NULL;
}

/* Collects rows that are alike, from `at` on; not one that holds a switch. Returns the number. */
static unsigned int rows_collect(const struct sequence *sequence, size_t at, int way,
				 double ns[SIDE])
{
	bool has_operators = sequence->row[at]->has_operators;
	unsigned int count = 0;

	while (count < SIDE) {
		const struct step_row *beside = row_beside(sequence, at, way);

		if (!has_operators && beside && beside->has_operators)
			break;
		ns[count++] = (double)sequence->row[at]->total_ns;
		if (!beside || beside->has_operators != has_operators)
			break;
		at += (size_t)(way > 0 ? 1 : -1);
	}
	return count;
}

/* The edge lies between the rows `at` and at + 1. */
static void edge_take(const struct sequence *sequence, size_t at, struct differences *differences)
{
	bool begins = sequence->row[at + 1]->has_operators;
	size_t with_at = begins ? at + 1 : at, switching = begins ? at : at + 1;
	int way = begins ? 1 : -1;
	double with[SIDE], without[SIDE], plain_ns;
	unsigned int with_count, without_count;

	differences->edges++;
	if (!row_beside(sequence, switching, -way))
		return;
	with_count = rows_collect(sequence, with_at, way, with);
	without_count = row_beside(sequence, switching, -way)->has_operators
				? 0
				: rows_collect(sequence, switching + (size_t)(way > 0 ? -1 : 1),
					       -way, without);
	if (with_count < SIDE_MIN || without_count < SIDE_MIN)
		return;
	plain_ns = detail_cost_median(without, without_count);
	differences->of_step[differences->count] = detail_cost_median(with, with_count) - plain_ns;
	differences->of_edge[differences->count++] = (double)sequence->row[switching]->total_ns -
						     plain_ns;
}

static double at_least_none(double number)
{
	return number > 0 ? number : 0;
}

bool steps_detail_cost(const struct steps *steps, struct detail_cost *ret_cost)
{
	struct sequence sequence = { .row = memory_zero(steps->row_count + 1,
							sizeof(struct step_row *)),
				     .count = steps->row_count };
	struct differences differences = {
		.of_step = memory_zero(steps->row_count + 1, sizeof(double)),
		.of_edge = memory_zero(steps->row_count + 1, sizeof(double)),
	};
	bool is_known;
	double all_ns;

	for (size_t i = 0; i < sequence.count; i++)
		sequence.row[i] = &steps->row[i];
	if (sequence.count)
		qsort(sequence.row, sequence.count, sizeof(struct step_row *),
		      detail_cost_compare_rows);
	for (size_t i = 0; i + 1 < sequence.count; i++)
		if (sequence.row[i]->has_operators != sequence.row[i + 1]->has_operators &&
		    rows_adjoin(sequence.row[i], sequence.row[i + 1]))
			edge_take(&sequence, i, &differences);
	is_known = differences.count >= EDGES_MIN && steps->time.total_ns;
	if (is_known) {
		ret_cost->step_ns = at_least_none(
			detail_cost_median(differences.of_step, differences.count));
		all_ns = ret_cost->step_ns * (double)steps->host.steps +
			 at_least_none(detail_cost_median(differences.of_edge, differences.count)) *
				 (double)differences.edges;
		ret_cost->share = all_ns / (double)steps->time.total_ns;
		ret_cost->share = ret_cost->share < 1 ? ret_cost->share : 1;
	}
	free(differences.of_step);
	free(differences.of_edge);
	free(sequence.row);
	return is_known;
}
