/* SPDX-License-Identifier: MIT */
/* The rows of the heap as a table of report alloc: callers named and joined over processes. */
#ifndef REPORT_HEAP_ROWS_HEAP_H
#define REPORT_HEAP_ROWS_HEAP_H

#include "report/table/export.h"
#include "report/core/model.h"
#include "report/table/table.h"

/* A table for report alloc --by that key. */
void heap_init_table(struct table *table, enum heap_by by);
void heap_fill_table(struct model *model, struct table *table);

/* The heap over time as one line of blocks; `width` columns. Nothing when there was no heap event. */
void heap_print_curve(const struct model *model, const struct screen *screen, size_t width);

#endif
