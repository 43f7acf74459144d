/* SPDX-License-Identifier: MIT */
/* The PyTorch part of the summary: the operators that took most of the time themselves. */
#include <stdio.h>

#include "report/torch/rows_ops.h"
#include "report/summary/summary.h"

#define ROWS_OF_OPERATORS 8
#define TITLE_BYTES 128

void summary_print_operators(struct model *model, const struct operators_part *operators,
			     const struct document *document, const struct screen *screen)
{
	static const enum column_id columns[] = { COLUMN_ops_name, COLUMN_ops_self_cpu_percent,
						  COLUMN_ops_self_cpu_ns, COLUMN_ops_total_cpu_ns,
						  COLUMN_ops_calls };
	static const enum column_id sampled[] = { COLUMN_ops_name, COLUMN_ops_total_cpu_ns,
						  COLUMN_ops_avg_cpu_ns, COLUMN_ops_calls };
	struct part part = { operators->title, COLUMN_ops_self_cpu_ns, operators->rows, columns,
			     sizeof(columns) / sizeof(columns[0]) };
	char title[TITLE_BYTES], number[UNIT_TEXT_BYTES];
	struct table table;

	if (ops_are_sampled(model)) {
		snprintf(title, sizeof(title), "%s, 1 in %s recorded", operators->title_sampled,
			 unit_format_count(number, model->operators.one_in));
		part = (struct part){ title, COLUMN_ops_total_cpu_ns, operators->rows, sampled,
				      sizeof(sampled) / sizeof(sampled[0]) };
	}
	table_init(&table, "ops", NULL);
	ops_fill_table(model, &table);
	summary_print_part(&table, &part, document, screen);
	table_release(&table);
}

void summary_print_torch(const struct summary *summary, const struct document *document,
			 const struct screen *screen)
{
	static const struct operators_part part = { "PyTorch operators by self CPU time",
						    "PyTorch operators by total CPU time",
						    ROWS_OF_OPERATORS };
	const struct ops_totals *totals = &summary->totals.operators;
	char calls[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES];

	if (!totals->calls)
		return;
	summary_print_operators(summary->model, &part, document, screen);
	if (!ops_are_sampled(summary->model))
		fprintf(screen->out, "Self CPU time total: %s in %s call%s\n",
			unit_format_ns(time, totals->self_cpu_ns),
			unit_format_count(calls, totals->calls), totals->calls == 1 ? "" : "s");
}
