/* SPDX-License-Identifier: MIT */
/*
 * Sorts the table by the part's column, limits it to the part's rows, and prints the part's columns
 * of them below the title.
 */
#include "report/table/part.h"

void part_print(struct table *table, const struct part *part, const struct document *outer,
		const struct screen *screen)
{
	struct document document = { .source = outer->source, .table = table, .head_only = true };
	struct arrangement arrangement = { .sort = -1, .descending = true, .limit = part->rows };
	char more[UNIT_TEXT_BYTES];

	for (size_t i = 0; i < table->column_count; i++)
		if (table->column[i] == &column_list[part->sort])
			arrangement.sort = (int)i;
	for (size_t c = 0; c < part->column_count; c++)
		for (size_t i = 0; i < table->column_count; i++)
			if (table->column[i] == &column_list[part->column[c]])
				document.shown[document.shown_count++] = i;
	document.shown_chosen = true;
	table_arrange(table, &arrangement);
	screen_print(screen, SCREEN_BOLD, "\n%s", part->title);
	if (table->passed > table->shown)
		screen_print(screen, SCREEN_DIM, " (%zu of %s)", table->shown,
			     unit_format_count(more, table->passed));
	putc('\n', screen->out);
	export_table_rows(&document, screen);
}
