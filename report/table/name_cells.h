/* SPDX-License-Identifier: MIT */
/*
 * Names that a narrow screen cuts: rows of different names that would read the same then show the places that tell them apart.
 * Stacks have a way of their own (stack_cells.h). One thread only.
 */
#ifndef REPORT_TABLE_NAME_CELLS_H
#define REPORT_TABLE_NAME_CELLS_H

#include "report/table/layout.h"

/* Shortens such cells in layout->text. Nothing where texts are made row by row (table.h). */
void name_cells_tell_apart(struct layout *layout, const struct screen *screen);

#endif
