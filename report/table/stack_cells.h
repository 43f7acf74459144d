/* SPDX-License-Identifier: MIT */
/*
 * Which frames of a stack a narrow screen shows. The innermost ones; but rows that would read the same then show the frame
 * that tells them apart. Borrows the layout's texts; one thread only.
 */
#ifndef REPORT_TABLE_STACK_CELLS_H
#define REPORT_TABLE_STACK_CELLS_H

#include "report/table/layout.h"

/* Has the row its innermost function in a column beside the stack, so that the stack need not have it? */
bool stack_cells_innermost_is_shown(const struct layout *layout);
/* Fills layout->stack_end: where the frames end that each row shows. Nothing where texts are made row by row (table.h). */
void stack_cells_tell_apart(struct layout *layout, const struct screen *screen);

#endif
