/* SPDX-License-Identifier: MIT */
/* See part_ops.h. */
#include "report/torch/part_ops.h"

#include <stdio.h>

#include "report/torch/rows_ops.h"

#define TITLE_BYTES 128

void operators_print_part(struct model *model, const struct operators_part *operators,
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
	part_print(&table, &part, document, screen);
	table_release(&table);
}
