/* SPDX-License-Identifier: MIT */
/*
 * Decides which columns of a document people see, how wide each is, and how its cells read. Leaves
 * out what was not requested or has nothing to tell, and then, if a screen limits the width, what
 * does not fit. Draws nothing.
 */
#ifndef REPORT_TABLE_LAYOUT_H
#define REPORT_TABLE_LAYOUT_H

#include "report/table/export.h"

#define LAYOUT_INDENT 2 /* columns per level of a tree */
#define LAYOUT_GAP 2    /* spaces between columns */

struct layout {
	const struct document *document; /* borrowed, must outlive the layout */
	size_t column[COLUMNS_MAX];      /* of the table */
	size_t width[COLUMNS_MAX];       /* 0: there was no room for the column */
	size_t count, main; /* main: index of the column that can shrink; SIZE_MAX: none */
	const char **text;  /* shown rows of `count` cells; NULL: layout_text() makes the text */
	struct text_store texts;
	size_t *stack_end; /* stack_cells.h, by shown row; NULL: the innermost frames everywhere */
};

void layout_make(struct layout *layout, const struct document *document,
		 const struct screen *screen);
void layout_release(struct layout *layout);

const struct column *layout_column(const struct layout *layout, size_t at);
/* Returns the cell's text. If it is made now, it goes into `texts`, which the caller releases. */
const char *layout_text(const struct layout *layout, struct text_store *texts, size_t row,
			size_t at);
/* Levels by which the main column of a row is indented. */
size_t layout_depth(const struct layout *layout, size_t row);

#endif
