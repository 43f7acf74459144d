/* SPDX-License-Identifier: MIT */
/*
 * A Markdown table for issues and notes: the columns and numbers of the table on the screen, with
 * full names.
 */
#include "report/table/layout.h"

static void markdown_put_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '|' || *text == '\\' || *text == '`' || *text == '*' || *text == '_' ||
		    *text == '<' || *text == '[')
			putc('\\', out);
		putc(*text, out);
	}
}

static void markdown_put_head(const struct layout *layout, FILE *out)
{
	for (size_t i = 0; i < layout->count; i++)
		if (layout->width[i])
			fprintf(out, "| %s ", layout_column(layout, i)->header);
	fputs("|\n", out);
	for (size_t i = 0; i < layout->count; i++)
		if (layout->width[i])
			fputs(column_is_text(layout_column(layout, i)) ? "|---" : "|---:", out);
	fputs("|\n", out);
}

static void markdown_put_row(const struct layout *layout, size_t row, FILE *out)
{
	const struct table *table = layout->document->table;
	struct text_store texts = { .chunk = NULL };

	table_make_row(table, table->order[row]);
	for (size_t i = 0; i < layout->count; i++) {
		if (!layout->width[i])
			continue;
		fputs("| ", out);
		markdown_put_text(out, export_cell_text(&texts, layout_column(layout, i),
							table_cell(table, table->order[row],
								   layout->column[i])));
		putc(' ', out);
	}
	fputs("|\n", out);
	text_store_release(&texts);
}

void export_markdown(const struct document *document, const struct screen *screen)
{
	struct layout layout;

	export_other_losses(document, screen);
	if (document->source) {
		export_losses(document->source, screen);
		export_limitations(document->source, document->families, screen);
	}
	layout_make(&layout, document, screen);
	markdown_put_head(&layout, screen->out);
	for (size_t row = 0; row < document->table->shown; row++)
		markdown_put_row(&layout, row, screen->out);
	layout_release(&layout);
}
