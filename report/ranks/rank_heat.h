/* SPDX-License-Identifier: MIT */
/*
 * Ranks by steps as a map of bounded size: how long each rank worked on its own (rank_rows.h). A
 * cell stands for some ranks and some steps that follow each other: the mean of the steps, of the
 * rank among them for which it is longest.
 */
#ifndef REPORT_RANKS_RANK_HEAT_H
#define REPORT_RANKS_RANK_HEAT_H

#include "report/ranks/rank_rows.h"

#define RANK_HEAT_ROWS 96u
#define RANK_HEAT_COLUMNS 200u

struct rank_heat_span {
	uint64_t from, to; /* the first and the last one */
};

struct rank_heat_cell {
	uint64_t own_ns, rank;
	bool is_known; /* it has a step */
};

struct rank_heat {
	size_t rows, columns; /* 0: there are no steps of ranks */
	struct rank_heat_span rank[RANK_HEAT_ROWS], step[RANK_HEAT_COLUMNS];
	struct rank_heat_cell *cell; /* row by row */
	uint64_t median_ns;          /* of the cells */
};

/* Of rows that rank_rows_make() has made. */
void rank_heat_make(struct rank_heat *heat, const struct rank_rows *rows);
void rank_heat_release(struct rank_heat *heat);

#endif
