/* SPDX-License-Identifier: MIT */
/*
 * Rows that read the same form a group. All rows of a group share some innermost frames. The next
 * frame outwards differs in at least one of them, so each shows that frame, too. Rows that still
 * read the same form a smaller group.
 */
#include "report/table/stack_cells.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/text.h"

#define ROUNDS_MAX 100 /* limit for groups within groups */

struct stack_cell {
	const char *text; /* the whole stack */
	size_t length, row;
	size_t end;  /* end of the frame that distinguishes it; SIZE_MAX: none */
	size_t rest; /* bytes of the frames further out */
	size_t leaf; /* start of the innermost frame */
	char *shown;
};

struct stack_cells {
	struct stack_cell *cell;
	size_t count, width;
	const char *mark;
	bool beside;
};

bool stack_cells_innermost_is_shown(const struct layout *layout)
{
	enum column_id innermost = layout->document->table->stacks.innermost;

	for (size_t i = 0; i < layout->count; i++)
		if (layout->width[i] && innermost < COLUMN_ID_LIMIT &&
		    layout_column(layout, i) == &column_list[innermost])
			return true;
	return false;
}

static void cell_show(const struct stack_cells *cells, struct stack_cell *cell)
{
	free(cell->shown);
	cell->shown = memory_grow(NULL, cell->length + 64, 1);
	text_shorten_stack_to(cell->shown, cell->text, cell->length, cell->end, cells->width,
			      cells->mark, cells->beside);
}

static int stack_cells_compare_cells(const void *a, const void *b)
{
	const struct stack_cell *x = a, *y = b;
	int order = strcmp(x->shown, y->shown);

	return order ? order : strcmp(x->text + x->leaf, y->text + y->leaf);
}

/* Bytes of the frames that two texts share, from their ends on. */
static size_t shared_bytes(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t least = a_length < b_length ? a_length : b_length, shared = 0;

	while (shared < least && a[a_length - shared - 1] == b[b_length - shared - 1])
		shared++;
	if ((shared == a_length || a[a_length - shared - 1] == ';') &&
	    (shared == b_length || b[b_length - shared - 1] == ';'))
		return shared;
	while (shared && a[a_length - shared] != ';')
		shared--;
	return shared ? shared - 1 : 0;
}

static size_t cell_looked_at(const struct stack_cell *cell, bool further)
{
	return further ? cell->rest : cell->length;
}

/*
 * Each row of the group shows the next frame outside of what all share; `further`: outside of what
 * is shown. Returns whether one has changed.
 */
static bool group_move(const struct stack_cells *cells, struct stack_cell *group, size_t count,
		       bool further)
{
	size_t shared = SIZE_MAX;
	bool changed = false;

	for (size_t i = 1; i < count; i++) {
		size_t bytes = shared_bytes(group[0].text, cell_looked_at(&group[0], further),
					    group[i].text, cell_looked_at(&group[i], further));

		shared = bytes < shared ? bytes : shared;
	}
	for (size_t i = 0; i < count; i++) {
		size_t end = cell_looked_at(&group[i], further) - shared, begin;

		if (end && shared)
			end--; /* the ; in between */
		if (!end || end >= group[i].end)
			continue;
		for (begin = end; begin && group[i].text[begin - 1] != ';';)
			begin--;
		group[i].end = end;
		group[i].rest = begin ? begin - 1 : 0;
		cell_show(cells, &group[i]);
		changed = true;
	}
	return changed;
}

static bool group_tell_apart(const struct stack_cells *cells, struct stack_cell *group,
			     size_t count)
{
	return group_move(cells, group, count, false) || group_move(cells, group, count, true);
}

static bool cells_tell_apart(const struct stack_cells *cells)
{
	bool changed = false;
	size_t end;

	qsort(cells->cell, cells->count, sizeof(*cells->cell), stack_cells_compare_cells);
	for (size_t from = 0; from < cells->count; from = end) {
		for (end = from + 1; end < cells->count; end++)
			if (stack_cells_compare_cells(&cells->cell[from], &cells->cell[end]) != 0)
				break;
		if (end - from > 1)
			changed |= group_tell_apart(cells, &cells->cell[from], end - from);
	}
	return changed;
}

static void cells_fill(struct stack_cells *cells, const struct layout *layout, size_t at)
{
	for (size_t row = 0; row < layout->document->table->shown; row++) {
		const char *text = layout->text[row * layout->count + at], *leaf;
		struct stack_cell *cell = &cells->cell[cells->count];

		if (!text || !*text)
			continue;
		leaf = strrchr(text, ';');
		*cell = (struct stack_cell){ .text = text,
					     .length = strlen(text),
					     .rest = strlen(text),
					     .end = SIZE_MAX,
					     .row = row,
					     .leaf = leaf ? (size_t)(leaf - text) + 1 : 0 };
		cell_show(cells, cell);
		cells->count++;
	}
}

/* Index of the column of stacks; SIZE_MAX: none is shown, or its texts are not kept. */
static size_t stack_column(const struct layout *layout)
{
	for (size_t i = 0; i < layout->count; i++)
		if (layout_column(layout, i)->unit == UNIT_STACK && layout->width[i])
			return table_is_by_row(layout->document->table, layout->column[i])
				       ? SIZE_MAX
				       : i;
	return SIZE_MAX;
}

void stack_cells_tell_apart(struct layout *layout, const struct screen *screen)
{
	size_t at = stack_column(layout), shown = layout->document->table->shown;
	struct stack_cells cells = { .mark = screen->utf8 ? "\xe2\x80\xa6" : ".." };

	if (at == SIZE_MAX || screen->uncut || !shown)
		return;
	cells.width = layout->width[at];
	cells.beside = stack_cells_innermost_is_shown(layout);
	cells.cell = memory_zero(shown, sizeof(*cells.cell));
	cells_fill(&cells, layout, at);
	for (unsigned int i = 0; i < ROUNDS_MAX && cells_tell_apart(&cells); i++)
		;
	layout->stack_end = memory_grow(NULL, shown, sizeof(*layout->stack_end));
	for (size_t row = 0; row < shown; row++)
		layout->stack_end[row] = SIZE_MAX;
	for (size_t i = 0; i < cells.count; i++) {
		layout->stack_end[cells.cell[i].row] = cells.cell[i].end;
		free(cells.cell[i].shown);
	}
	free(cells.cell);
}
