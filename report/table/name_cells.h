/* SPDX-License-Identifier: MIT */
/*
 * Names that a narrow screen cuts: if rows with different names would read the same, they show the
 * places that distinguish them. Stacks are handled in stack_cells.h. One thread only.
 */
#ifndef REPORT_TABLE_NAME_CELLS_H
#define REPORT_TABLE_NAME_CELLS_H

#include "report/table/layout.h"

/* Shortens such cells in layout->text. Does nothing if texts are made row by row (table.h). */
void name_cells_tell_apart(struct layout *layout, const struct screen *screen);

#endif
