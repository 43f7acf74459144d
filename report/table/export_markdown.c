/* SPDX-License-Identifier: MIT */
/* A Markdown table for issues and notes: numbers as people read them, all columns but hidden ones. */
#include "report/table/export.h"

static void markdown_put_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '|' || *text == '\\' || *text == '`' || *text == '*' || *text == '_' ||
		    *text == '<' || *text == '[')
			putc('\\', out);
		putc(*text, out);
	}
}

static bool markdown_shows(const struct document *document, size_t at)
{
	return document->shown_chosen ||
	       document->table->column[document->shown[at]]->priority < COLUMN_PRIORITY_HIDDEN;
}

void export_markdown(const struct document *document, const struct screen *screen)
{
	const struct table *table = document->table;
	struct text_store texts = { NULL };

	if (document->source)
		export_losses(document->source, screen);
	for (size_t i = 0; i < document->shown_count; i++)
		if (markdown_shows(document, i))
			fprintf(screen->out, "| %s ", table->column[document->shown[i]]->header);
	fputs("|\n", screen->out);
	for (size_t i = 0; i < document->shown_count; i++)
		if (markdown_shows(document, i))
			fputs(column_is_text(table->column[document->shown[i]]) ? "|---" : "|---:",
			      screen->out);
	fputs("|\n", screen->out);
	for (size_t row = 0; row < table->shown; row++) {
		for (size_t i = 0; i < document->shown_count; i++) {
			if (!markdown_shows(document, i))
				continue;
			fputs("| ", screen->out);
			markdown_put_text(screen->out,
					  export_cell_text(&texts,
							   table->column[document->shown[i]],
							   table_cell(table, table->order[row],
								      document->shown[i])));
			putc(' ', screen->out);
		}
		fputs("|\n", screen->out);
	}
	text_store_release(&texts);
}
