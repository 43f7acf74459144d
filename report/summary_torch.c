/* SPDX-License-Identifier: MIT */
/* The PyTorch part of the summary: the operators that took most of the time themselves. */
#include "report/rows_ops.h"
#include "report/summary.h"

#define ROWS_OF_OPERATORS 8

void summary_print_torch(const struct summary *summary, const struct document *document,
			 const struct screen *screen)
{
	static const enum column_id columns[] = { COLUMN_ops_name, COLUMN_ops_self_cpu_percent,
						  COLUMN_ops_self_cpu_ns, COLUMN_ops_total_cpu_ns,
						  COLUMN_ops_calls };
	static const struct part part = { "PyTorch operators by self CPU time",
					  COLUMN_ops_self_cpu_ns, ROWS_OF_OPERATORS, columns,
					  sizeof(columns) / sizeof(columns[0]) };
	const struct ops_totals *totals = &summary->totals.operators;
	char calls[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES];
	struct table table;

	if (!totals->calls)
		return;
	table_init(&table, "ops", NULL);
	ops_fill_table(summary->model, &table);
	summary_print_part(&table, &part, document, screen);
	table_release(&table);
	fprintf(screen->out, "Self CPU time total: %s in %s call%s\n",
		unit_format_ns(time, totals->self_cpu_ns), unit_format_count(calls, totals->calls),
		totals->calls == 1 ? "" : "s");
}
