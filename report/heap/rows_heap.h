/* SPDX-License-Identifier: MIT */
/* The rows of the heap as a table of report alloc: callers named and joined over processes. */
#ifndef REPORT_HEAP_ROWS_HEAP_H
#define REPORT_HEAP_ROWS_HEAP_H

#include "report/table/export.h"
#include "report/heap/heap.h"
#include "report/table/table.h"

/* `table` has columns of report alloc by the heap's key. */
void heap_fill_table(struct heap *heap, struct source *source, struct table *table);

/* The heap over time as one line of blocks; `width` columns. Nothing when there was no heap event. */
void heap_print_curve(const struct heap *heap, const struct source *source,
		      const struct screen *screen, size_t width);

#endif
