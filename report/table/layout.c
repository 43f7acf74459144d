/* SPDX-License-Identifier: MIT */
/* The least important columns are dropped first; names keep a share of the screen. */
#include "report/table/layout.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/symbol.h"
#include "report/base/text.h"

/* the main text column is not made narrower than this for another column */
#define MAIN_WIDTH_MIN 24
/* maximum of the other text columns; important ones may be wider on a wide screen */
#define SIDE_WIDTH_MAX 24
#define SIDE_PRIORITY 2     /* priority up to which a text column counts as important */
#define INDENT_MAX 12       /* maximum number of levels drawn */
#define DULL_PRIORITY 4     /* from this priority on, columns that say nothing are left out */
#define UNCUT_WIDTH_MAX 100 /* without a screen: a longer name shifts only its own row */

const struct column *layout_column(const struct layout *layout, size_t at)
{
	return layout->document->table->column[layout->column[at]];
}

/*
 * True for a column that was requested neither by name nor by --sort, and that has nothing to tell.
 */
static bool column_is_left_out(const struct document *document, size_t column)
{
	const struct table *table = document->table;
	unsigned int priority = table->column[column]->priority;

	if (document->shown_chosen || column + 1 == document->kept)
		return false;
	if (priority == COLUMN_PRIORITY_HIDDEN)
		return true;
	/* not recorded, or zeros in all rows, or the same text */
	return priority && table->row_count &&
	       (!table_column_is_filled(table, column) ||
		(priority >= DULL_PRIORITY && column + 1 != document->key &&
		 !table_column_tells(table, column)));
}

static void layout_choose(struct layout *layout)
{
	const struct document *document = layout->document;

	for (size_t i = 0; i < document->shown_count; i++)
		if (!column_is_left_out(document, document->shown[i]))
			layout->column[layout->count++] = document->shown[i];
	layout->main = SIZE_MAX;
	for (size_t i = layout->count; i-- > 0;)
		if (column_is_text(layout_column(layout, i)))
			if (layout->main == SIZE_MAX ||
			    layout_column(layout, i)->priority <=
				    layout_column(layout, layout->main)->priority)
				layout->main = i;
}

/* Reports keep the level of a tree's row in a column of that name. */
size_t layout_depth(const struct layout *layout, size_t row)
{
	const struct table *table = layout->document->table;
	int depth = columns_find(table->column, table->column_count, "depth", 5);
	uint64_t levels = table->is_tree && depth >= 0
				  ? table_cell(table, row, (size_t)depth)->number
				  : 0;

	return levels < INDENT_MAX ? (size_t)levels : INDENT_MAX;
}

const char *layout_text(const struct layout *layout, struct text_store *texts, size_t row,
			size_t at)
{
	const struct table *table = layout->document->table;
	const char *text = layout->text[row * layout->count + at];

	if (text)
		return text;
	table_make_row(table, table->order[row]);
	return export_cell_text(texts, layout_column(layout, at),
				table_cell(table, table->order[row], layout->column[at]));
}

/* Returns the cell's width. Cells that are made row by row are not kept. */
static size_t layout_fill_cell(struct layout *layout, size_t row, size_t at)
{
	const struct table *table = layout->document->table;
	struct text_store made = { .chunk = NULL };
	bool is_kept = !table_is_by_row(table, layout->column[at]);
	const char *text = layout_text(layout, is_kept ? &layout->texts : &made, row, at);
	size_t width = text_width(text, strlen(text));

	if (is_kept)
		layout->text[row * layout->count + at] = text;
	text_store_release(&made);
	return width;
}

/*
 * True if the column is already as wide as any column is ever shown, so that expensive texts need
 * not be examined.
 */
static bool layout_is_wide(const struct layout *layout, const struct screen *screen, size_t at)
{
	return table_is_by_row(layout->document->table, layout->column[at]) &&
	       layout->width[at] >= UNCUT_WIDTH_MAX && layout->width[at] >= screen->width;
}

static void layout_fill(struct layout *layout, const struct screen *screen)
{
	const struct table *table = layout->document->table;

	layout->text = memory_zero(table->shown * layout->count + 1, sizeof(*layout->text));
	for (size_t i = 0; i < layout->count; i++)
		layout->width[i] = strlen(layout_column(layout, i)->header);
	for (size_t r = 0; r < table->shown; r++) {
		for (size_t i = 0; i < layout->count; i++) {
			size_t width;

			if (layout_is_wide(layout, screen, i))
				continue;
			width = layout_fill_cell(layout, r, i);
			if (i == layout->main)
				width += layout_depth(layout, table->order[r]) * LAYOUT_INDENT;
			if (width > layout->width[i])
				layout->width[i] = width;
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

/*
 * C++ names that would take most of the screen lose parameters and namespaces, in the whole column
 * alike.
 */
static void layout_compact(struct layout *layout, size_t screen_width)
{
	const struct table *table = layout->document->table;

	for (size_t i = 0; i < layout->count; i++) {
		if (layout_column(layout, i)->unit != UNIT_SYMBOL ||
		    table_is_by_row(table, layout->column[i]) ||
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

/* Width of all columns that are left (width 0: dropped), with the main one at its minimum. */
static size_t layout_least(const struct layout *layout, size_t screen_width)
{
	size_t least = 0, main_least = screen_width * 3 / 10;

	if (layout->document->names_first ||
	    (layout->main != SIZE_MAX && layout_column(layout, layout->main)->unit == UNIT_CODE))
		main_least = screen_width / 2;
	if (main_least < MAIN_WIDTH_MIN)
		main_least = MAIN_WIDTH_MIN;
	for (size_t i = 0; i < layout->count; i++) {
		size_t width = layout->width[i];

		if (i == layout->main && width > main_least)
			width = main_least;
		least += width ? width + LAYOUT_GAP : 0;
	}
	return least ? least - LAYOUT_GAP : 0;
}

/* Not a column that is needed to understand a row, nor the one by which the rows are sorted. */
static bool layout_gives_way(const struct layout *layout, size_t at)
{
	return layout_column(layout, at)->priority &&
	       layout->column[at] + 1 != layout->document->kept &&
	       layout->column[at] + 1 != layout->document->key;
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
			others += layout->width[i] + LAYOUT_GAP;
	if (layout->width[layout->main] + others > screen_width) {
		size_t least = strlen(layout_column(layout, layout->main)->header);

		layout->width[layout->main] = screen_width > others + least ? screen_width - others
									    : least;
	}
}

/* Stacks get the rest of the screen. */
static void layout_widen_stacks(struct layout *layout, const size_t *natural, size_t screen_width)
{
	size_t used = 0;

	for (size_t i = 0; i < layout->count; i++)
		used += layout->width[i] ? layout->width[i] + LAYOUT_GAP : 0;
	used -= used ? LAYOUT_GAP : 0;
	for (size_t i = 0; i < layout->count && used < screen_width; i++) {
		size_t more = screen_width - used;

		if (layout_column(layout, i)->unit != UNIT_STACK || !layout->width[i])
			continue;
		if (more > natural[i] - layout->width[i])
			more = natural[i] - layout->width[i];
		layout->width[i] += more;
		used += more;
	}
}

/* Nothing is cut: a column is as wide as its longest name, up to a limit. */
static void layout_widen(struct layout *layout)
{
	for (size_t i = 0; i < layout->count; i++)
		if (column_is_text(layout_column(layout, i)) && layout->width[i] > UNCUT_WIDTH_MAX)
			layout->width[i] = UNCUT_WIDTH_MAX;
}

void layout_make(struct layout *layout, const struct document *document,
		 const struct screen *screen)
{
	size_t natural[COLUMNS_MAX];

	*layout = (struct layout){ .document = document };
	layout_choose(layout);
	layout_fill(layout, screen);
	if (screen->uncut) {
		layout_widen(layout);
		return;
	}
	memcpy(natural, layout->width, sizeof(natural));
	layout_limit_sides(layout, screen->width);
	layout_compact(layout, screen->width);
	layout_fit(layout, screen->width);
	layout_widen_stacks(layout, natural, screen->width);
}

void layout_release(struct layout *layout)
{
	free(layout->text);
	free(layout->stack_end);
	text_store_release(&layout->texts);
}
