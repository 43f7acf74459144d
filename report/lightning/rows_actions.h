/* SPDX-License-Identifier: MIT */
/* What a program's actions took, as a table of report actions, from the best source that there is. */
#ifndef REPORT_LIGHTNING_ROWS_ACTIONS_H
#define REPORT_LIGHTNING_ROWS_ACTIONS_H

#include "report/ranges/ranges.h"
#include "report/lightning/actions.h"
#include "report/table/table.h"
#include "report/torch/operators.h"

/* What actions are taken from. */
struct actions_sources {
	const struct actions *actions;
	const struct operators *operators;
	const struct ranges *ranges;
	const struct source *source;
	bool has_gpu; /* work of a GPU was recorded */
};

struct actions_totals {
	enum action_source source;
	uint64_t calls, open, wall_ns;
};

/*
 * `table` has columns of report actions. Lightning's actions where there are any, else user scopes of PyTorch, else NVTX ranges. `total_row`: the first
 * row is their total and stays the first.
 */
struct actions_totals actions_fill_table(const struct actions_sources *sources, struct table *table,
					 bool total_row);

#endif
