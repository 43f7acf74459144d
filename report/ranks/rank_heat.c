/* SPDX-License-Identifier: MIT */
/* See rank_heat.h. Steps are taken rank by rank, so that only the sums of one rank are kept. */
#include "report/ranks/rank_heat.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/numbers.h"

struct rank_heat_sum {
	uint64_t own_ns, steps;
};

/* Steps of all ranks; false: there are none. */
static bool rank_heat_find_steps(const struct rank_rows *rows, struct rank_heat_span *ret_span)
{
	*ret_span = (struct rank_heat_span){ UINT64_MAX, 0 };
	for (size_t i = 0; i < rows->count; i++) {
		const struct rank_row *row = &rows->row[i];

		if (!row->steps)
			continue;
		if (row->step[0]->number < ret_span->from)
			ret_span->from = row->step[0]->number;
		if (row->step[row->steps - 1]->number > ret_span->to)
			ret_span->to = row->step[row->steps - 1]->number;
	}
	return ret_span->from <= ret_span->to;
}

/* The bin, of `bins`, of a number that is `apart` from the first one of a span. */
static size_t rank_heat_bin(uint64_t apart, uint64_t span, size_t bins)
{
	unsigned __int128 of = (unsigned __int128)span + 1;

	return span < bins ? (size_t)apart : (size_t)((unsigned __int128)apart * bins / of);
}

static void rank_heat_find_columns(struct rank_heat *heat, struct rank_heat_span all)
{
	uint64_t span = all.to - all.from;

	heat->columns = span < RANK_HEAT_COLUMNS ? (size_t)span + 1 : RANK_HEAT_COLUMNS;
	for (size_t i = 0; i < heat->columns; i++) {
		/* the first number that rank_heat_bin() puts there */
		unsigned __int128 least = (unsigned __int128)i * ((unsigned __int128)span + 1);

		heat->step[i].from = all.from +
				     (uint64_t)((least + heat->columns - 1) / heat->columns);
		if (i)
			heat->step[i - 1].to = heat->step[i].from - 1;
	}
	heat->step[heat->columns - 1].to = all.to;
}

static void rank_heat_take(struct rank_heat *heat, const struct rank_row *row, size_t at,
			   const struct rank_heat_sum *sum)
{
	for (size_t i = 0; i < heat->columns; i++) {
		struct rank_heat_cell *cell = &heat->cell[at * heat->columns + i];
		uint64_t mean_ns = sum[i].steps ? sum[i].own_ns / sum[i].steps : 0;

		if (!sum[i].steps || (cell->is_known && cell->own_ns >= mean_ns))
			continue;
		*cell = (struct rank_heat_cell){ mean_ns, row->rank, true };
	}
}

static void rank_heat_take_row(struct rank_heat *heat, const struct rank_row *row, size_t at,
			       struct rank_heat_span all)
{
	struct rank_heat_sum sum[RANK_HEAT_COLUMNS] = { { 0 } };

	for (size_t i = 0; i < row->steps; i++) {
		size_t column = rank_heat_bin(row->step[i]->number - all.from, all.to - all.from,
					      heat->columns);

		sum[column].own_ns += rank_own_ns(row->step[i]);
		sum[column].steps++;
	}
	rank_heat_take(heat, row, at, sum);
}

static void rank_heat_find_median(struct rank_heat *heat)
{
	size_t cells = heat->rows * heat->columns, count = 0;
	uint64_t *value = memory_zero(cells + 1, sizeof(*value));

	for (size_t i = 0; i < cells; i++)
		if (heat->cell[i].is_known)
			value[count++] = heat->cell[i].own_ns;
	heat->median_ns = numbers_median(value, count);
	free(value);
}

void rank_heat_make(struct rank_heat *heat, const struct rank_rows *rows)
{
	struct rank_heat_span all;

	memset(heat, 0, sizeof(*heat));
	if (!rows->count || !rank_heat_find_steps(rows, &all))
		return;
	heat->rows = rows->count < RANK_HEAT_ROWS ? rows->count : RANK_HEAT_ROWS;
	rank_heat_find_columns(heat, all);
	heat->cell = memory_zero(heat->rows * heat->columns, sizeof(*heat->cell));
	for (size_t i = 0; i < rows->count; i++) {
		size_t at = rank_heat_bin(i, rows->count - 1, heat->rows);

		if (!i || at != rank_heat_bin(i - 1, rows->count - 1, heat->rows))
			heat->rank[at].from = rows->row[i].rank;
		heat->rank[at].to = rows->row[i].rank;
		rank_heat_take_row(heat, &rows->row[i], at, all);
	}
	rank_heat_find_median(heat);
}

void rank_heat_release(struct rank_heat *heat)
{
	free(heat->cell);
}
