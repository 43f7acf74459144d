/* SPDX-License-Identifier: MIT */
/*
 * Tables for people: aligned, as wide as the screen and not wider, least important columns left out
 * first, names shortened in the middle, never wrapped.
 */
#include <stdlib.h>
#include <string.h>

#include "report/table/export.h"
#include "report/base/symbol.h"
#include "report/base/text.h"

#define GAP 2             /* spaces between columns */
#define MAIN_WIDTH_MIN 24 /* the main text column is not made narrower for another column */
#define SIDE_WIDTH_MAX 24 /* of the other text columns, the important ones on a wide screen more */
#define SIDE_PRIORITY 2   /* those */
#define INDENT 2          /* of a level of a tree */
#define INDENT_MAX 12     /* levels that are drawn */
#define DULL_PRIORITY 4   /* columns from here on are left out when they say nothing */

struct layout {
	const struct document *document;
	size_t column[COLUMNS_MAX]; /* of the table */
	size_t width[COLUMNS_MAX];
	size_t count, main; /* main: the place of the column that gives way */
	const char **text;  /* shown rows of `count` cells */
	struct text_store texts;
};

static const struct column *layout_column(const struct layout *layout, size_t at)
{
	return layout->document->table->column[layout->column[at]];
}

static bool column_is_dull(const struct table *table, size_t column)
{
	const struct cell *first = table->shown ? table_cell(table, table->order[0], column) : NULL;

	for (size_t i = 0; i < table->shown; i++) {
		const struct cell *cell = table_cell(table, table->order[i], column);

		if (cell->kind == CELL_TEXT
			    ? cell->length != first->length ||
				      memcmp(cell->text, first->text, cell->length) != 0
			    : cell->kind != CELL_NONE && cell->number != 0)
			return false;
	}
	return true;
}

/* No row has a value: what it counts was not recorded. */
static bool column_is_empty(const struct table *table, size_t column)
{
	for (size_t i = 0; i < table->shown; i++)
		if (table_cell(table, table->order[i], column)->kind != CELL_NONE)
			return false;
	return true;
}

static void layout_choose(struct layout *layout)
{
	const struct document *document = layout->document;

	for (size_t i = 0; i < document->shown_count; i++) {
		const struct column *column = document->table->column[document->shown[i]];

		if (!document->shown_chosen && document->shown[i] + 1 != document->kept &&
		    (column->priority == COLUMN_PRIORITY_HIDDEN ||
		     (column->priority && column_is_empty(document->table, document->shown[i])) ||
		     (column->priority >= DULL_PRIORITY &&
		      column_is_dull(document->table, document->shown[i]))))
			continue;
		layout->column[layout->count++] = document->shown[i];
	}
	layout->main = SIZE_MAX;
	for (size_t i = layout->count; i-- > 0;)
		if (column_is_text(layout_column(layout, i)))
			if (layout->main == SIZE_MAX ||
			    layout_column(layout, i)->priority <=
				    layout_column(layout, layout->main)->priority)
				layout->main = i;
}

/* Levels of a tree's row; the reports keep them in a column of that name. */
static size_t row_depth(const struct table *table, size_t row)
{
	int depth = columns_find(table->column, table->column_count, "depth", 5);
	uint64_t levels = table->is_tree && depth >= 0
				  ? table_cell(table, row, (size_t)depth)->number
				  : 0;

	return levels < INDENT_MAX ? (size_t)levels : INDENT_MAX;
}

static void layout_fill(struct layout *layout)
{
	const struct table *table = layout->document->table;

	layout->text = memory_zero(table->shown * layout->count + 1, sizeof(*layout->text));
	for (size_t i = 0; i < layout->count; i++)
		layout->width[i] = strlen(layout_column(layout, i)->header);
	for (size_t r = 0; r < table->shown; r++) {
		for (size_t i = 0; i < layout->count; i++) {
			const char *text = export_cell_text(
				&layout->texts, layout_column(layout, i),
				table_cell(table, table->order[r], layout->column[i]));
			size_t width = text_width(text, strlen(text));

			if (i == layout->main)
				width += row_depth(table, table->order[r]) * INDENT;
			if (width > layout->width[i])
				layout->width[i] = width;
			layout->text[r * layout->count + i] = text;
		}
	}
}

static void layout_limit_sides(struct layout *layout, size_t screen_width)
{
	size_t wide = screen_width * 3 / 10;

	if (wide < SIDE_WIDTH_MAX)
		wide = SIDE_WIDTH_MAX;
	for (size_t i = 0; i < layout->count; i++) {
		const struct column *column = layout_column(layout, i);
		size_t most = column->priority <= SIDE_PRIORITY ? wide : SIDE_WIDTH_MAX;

		if (i != layout->main && column_is_text(column) && layout->width[i] > most)
			layout->width[i] = most;
	}
}

/* C++ names that would take most of the screen lose parameters and namespaces, all of the column alike. */
static void layout_compact(struct layout *layout, size_t screen_width)
{
	const struct table *table = layout->document->table;

	for (size_t i = 0; i < layout->count; i++) {
		if (layout_column(layout, i)->unit != UNIT_SYMBOL ||
		    layout->width[i] <= screen_width * 2 / 5)
			continue;
		layout->width[i] = strlen(layout_column(layout, i)->header);
		for (size_t r = 0; r < table->shown; r++) {
			const char **text = &layout->text[r * layout->count + i];
			char *compact = text_store_put(&layout->texts, *text, strlen(*text));
			size_t width = text_width(compact,
						  symbol_compact(compact, *text, strlen(*text)));

			*text = compact;
			if (width > layout->width[i])
				layout->width[i] = width;
		}
	}
}

/* Width of all columns that are still there (width 0: left out), the main one at its least. */
static size_t layout_least(const struct layout *layout, size_t screen_width)
{
	size_t least = 0, main_least = screen_width * 3 / 10;

	if (main_least < MAIN_WIDTH_MIN)
		main_least = MAIN_WIDTH_MIN;
	for (size_t i = 0; i < layout->count; i++) {
		size_t width = layout->width[i];

		if (i == layout->main && width > main_least)
			width = main_least;
		least += width ? width + GAP : 0;
	}
	return least ? least - GAP : 0;
}

/* Not what is needed to understand a row, nor what the rows were asked to be in the order of. */
static bool layout_gives_way(const struct layout *layout, size_t at)
{
	return layout_column(layout, at)->priority &&
	       layout->column[at] + 1 != layout->document->kept;
}

static void layout_fit(struct layout *layout, size_t screen_width)
{
	size_t others = 0;

	while (!layout->document->shown_chosen &&
	       layout_least(layout, screen_width) > screen_width) {
		size_t worst = SIZE_MAX;

		for (size_t i = 0; i < layout->count; i++)
			if (layout->width[i] && layout_gives_way(layout, i) &&
			    (worst == SIZE_MAX || layout_column(layout, i)->priority >=
							  layout_column(layout, worst)->priority))
				worst = i;
		if (worst == SIZE_MAX)
			break;
		layout->width[worst] = 0;
	}
	if (layout->main == SIZE_MAX)
		return;
	for (size_t i = 0; i < layout->count; i++)
		if (i != layout->main && layout->width[i])
			others += layout->width[i] + GAP;
	if (layout->width[layout->main] + others > screen_width) {
		size_t least = strlen(layout_column(layout, layout->main)->header);

		layout->width[layout->main] = screen_width > others + least ? screen_width - others
									    : least;
	}
}

static void put_spaces(FILE *out, size_t count)
{
	while (count--)
		putc(' ', out);
}

/* One cell; the last column of text is not padded. */
static void layout_put(const struct layout *layout, const struct screen *screen, size_t at,
		       const char *text, size_t indent)
{
	const char *mark = screen->utf8 ? "\xe2\x80\xa6" : "..";
	size_t length = strlen(text), width = layout->width[at],
	       room = width > indent ? width - indent : 1;
	char *shown = memory_grow(NULL, length + 8, 1);

	length = text_shorten(shown, text, length, room, mark);
	room = width - (text_width(shown, length) + indent < width
				? text_width(shown, length) + indent
				: width);
	if (column_is_text(layout_column(layout, at))) {
		put_spaces(screen->out, indent);
		fputs(shown, screen->out);
		put_spaces(screen->out, at + 1 < layout->count ? room : 0);
	} else {
		put_spaces(screen->out, room);
		fputs(shown, screen->out);
	}
	free(shown);
}

static void layout_put_row(const struct layout *layout, const struct screen *screen, size_t row)
{
	const struct table *table = layout->document->table;
	bool first = true;

	for (size_t i = 0; i < layout->count; i++) {
		size_t indent = i == layout->main && row != SIZE_MAX
					? row_depth(table, table->order[row])
					: 0;

		if (!layout->width[i])
			continue;
		put_spaces(screen->out, first ? 0 : GAP);
		first = false;
		if (row == SIZE_MAX)
			layout_put(layout, screen, i, layout_column(layout, i)->header, 0);
		else
			layout_put(layout, screen, i, layout->text[row * layout->count + i],
				   indent * INDENT);
	}
}

/* The columns that had no room, as an option to type; how many more there are where they do not fit. */
static void layout_print_left_out(const struct layout *layout, const struct screen *screen)
{
	static const char head[] = "not shown: --columns ";
	size_t used = sizeof(head) - 1, named = 0, more = 0;

	for (size_t i = 0; i < layout->count; i++) {
		const char *name = layout_column(layout, i)->name;

		if (layout->width[i])
			continue;
		if (used + 1 + strlen(name) > screen->width) {
			more++;
			continue;
		}
		screen_print(screen, SCREEN_DIM, "%s%s", named++ ? "," : head, name);
		used += 1 + strlen(name);
	}
	if (named)
		putc('\n', screen->out);
	if (more)
		screen_print(screen, SCREEN_DIM, "and %zu more column%s: prof-report %s --help\n",
			     more, more == 1 ? "" : "s", layout->document->report);
}

void export_table_rows(const struct document *document, const struct screen *screen)
{
	struct layout layout = { .document = document };

	layout_choose(&layout);
	layout_fill(&layout);
	layout_limit_sides(&layout, screen->width);
	layout_compact(&layout, screen->width);
	layout_fit(&layout, screen->width);
	if (screen->color)
		fputs("\033[" SCREEN_BOLD "m", screen->out);
	layout_put_row(&layout, screen, SIZE_MAX);
	if (screen->color)
		fputs("\033[0m", screen->out);
	putc('\n', screen->out);
	for (size_t row = 0; row < document->table->shown; row++) {
		layout_put_row(&layout, screen, row);
		putc('\n', screen->out);
	}
	if (!document->head_only)
		layout_print_left_out(&layout, screen);
	free(layout.text);
	text_store_release(&layout.texts);
}

void export_table(const struct document *document, const struct screen *screen)
{
	const struct table *table = document->table;
	char count[UNIT_TEXT_BYTES];

	export_losses(document->source, screen);
	if (document->scope)
		screen_print_prose(screen, "%s", document->scope);
	if (document->head)
		document->head(document, screen);
	if (document->head_only)
		return;
	if (table->passed == table->pinned) {
		const char *empty = document->empty ? document->empty
						    : "nothing of this kind was recorded";

		screen_print_prose(screen, "%s",
				   table->row_count ? "no row meets --filter" : empty);
		return;
	}
	export_table_rows(document, screen);
	if (table->shown < table->passed)
		screen_print(screen, SCREEN_DIM, "%s more row%s (--limit 0 shows all)\n",
			     unit_format_count(count, table->passed - table->shown),
			     table->passed - table->shown == 1 ? "" : "s");
	if (document->foot)
		document->foot(document, screen);
}
