/* SPDX-License-Identifier: MIT */
/*
 * Which frames of a stack a narrow screen shows: the innermost ones. Rows that would read the same
 * then also show the frame that distinguishes them. Borrows the layout's texts; one thread only.
 */
#ifndef REPORT_TABLE_STACK_CELLS_H
#define REPORT_TABLE_STACK_CELLS_H

#include "report/table/layout.h"

/*
 * True if a column beside the stack shows the row's innermost function, so that the stack need not.
 */
bool stack_cells_innermost_is_shown(const struct layout *layout);
/*
 * Fills layout->stack_end: the end of the frames that each row shows. Does nothing if texts are
 * made row by row (table.h).
 */
void stack_cells_tell_apart(struct layout *layout, const struct screen *screen);

#endif
