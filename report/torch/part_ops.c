/* SPDX-License-Identifier: MIT */
/*
 * Makes the table of report `ops` and prints its best rows. If operators were sampled, columns that
 * need all of them are left out.
 */
#include "report/torch/part_ops.h"

#include <stdio.h>

#include "report/torch/rows_ops.h"

#define TITLE_BYTES 128

void operators_print_part(const struct operators *operators, const struct operators_part *shown,
			  const struct document *document, const struct screen *screen)
{
	static const enum column_id columns[] = { COLUMN_ops_name, COLUMN_ops_self_cpu_percent,
						  COLUMN_ops_self_cpu_ns, COLUMN_ops_total_cpu_ns,
						  COLUMN_ops_calls };
	static const enum column_id sampled[] = { COLUMN_ops_name, COLUMN_ops_estimated_cpu_ns,
						  COLUMN_ops_avg_cpu_ns, COLUMN_ops_estimated_calls,
						  COLUMN_ops_estimated_error };
	struct part part = { shown->title, COLUMN_ops_self_cpu_ns, shown->rows, columns,
			     sizeof(columns) / sizeof(columns[0]) };
	char title[TITLE_BYTES], number[UNIT_TEXT_BYTES];
	struct table table;

	if (ops_are_sampled(operators)) {
		snprintf(title, sizeof(title), "%s, 1 in %s recorded", shown->title_sampled,
			 unit_format_count(number, operators->one_in));
		part = (struct part){ title, COLUMN_ops_estimated_cpu_ns, shown->rows, sampled,
				      sizeof(sampled) / sizeof(sampled[0]) };
	}
	table_init(&table, "ops", NULL);
	ops_fill_table(operators, document->source, &table);
	part_print(&table, &part, document, screen);
	table_release(&table);
}
