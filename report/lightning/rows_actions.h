/* SPDX-License-Identifier: MIT */
/* Fills the table of report actions from the best source that the recording has. */
#ifndef REPORT_LIGHTNING_ROWS_ACTIONS_H
#define REPORT_LIGHTNING_ROWS_ACTIONS_H

#include "report/ranges/ranges.h"
#include "report/lightning/actions.h"
#include "report/table/table.h"
#include "report/torch/operators.h"

/* The sources of actions. */
struct actions_sources {
	const struct actions *actions;
	const struct operators *operators;
	const struct ranges *ranges;
	const struct source *source;
	bool has_gpu; /* GPU work was recorded */
};

struct actions_totals {
	enum action_source source;
	uint64_t calls, open, wall_ns;
};

/*
 * `table` has the columns of report actions. The rows are Lightning's actions if there are any,
 * otherwise the user scopes of PyTorch, otherwise NVTX ranges. `total_row`: the first row is their
 * total, and stays first.
 */
struct actions_totals actions_fill_table(const struct actions_sources *sources, struct table *table,
					 bool total_row);

#endif
