/* SPDX-License-Identifier: MIT */
/*
 * Which columns of a document people see, how wide each is, and their cells as text. Leaves out what was not asked
 * for or has nothing to tell, then, where a screen sets a limit, what has no room. Draws nothing.
 */
#ifndef REPORT_TABLE_LAYOUT_H
#define REPORT_TABLE_LAYOUT_H

#include "report/table/export.h"

#define LAYOUT_INDENT 2 /* columns, of a level of a tree */
#define LAYOUT_GAP 2    /* spaces between columns */

struct layout {
	const struct document *document; /* borrowed, must outlive the layout */
	size_t column[COLUMNS_MAX];      /* of the table */
	size_t width[COLUMNS_MAX];       /* 0: there was no room for the column */
	size_t count, main; /* main: the place of the column that gives way, SIZE_MAX: none */
	const char **text;  /* shown rows of `count` cells; NULL: layout_text() makes it */
	struct text_store texts;
	size_t *stack_end; /* stack_cells.h, by shown row; NULL: all innermost frames */
};

void layout_make(struct layout *layout, const struct document *document,
		 const struct screen *screen);
void layout_release(struct layout *layout);

const struct column *layout_column(const struct layout *layout, size_t at);
/* The cell's text. One that is made goes into `texts`, which is the caller's to release. */
const char *layout_text(const struct layout *layout, struct text_store *texts, size_t row,
			size_t at);
/* Levels that the main column of a row is indented by. */
size_t layout_depth(const struct layout *layout, size_t row);

#endif
