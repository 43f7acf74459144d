/* SPDX-License-Identifier: MIT */
/*
 * Memory of the heap by line of Python: what a line itself has asked for, and what stacks that it is part of have. For files
 * whose heap events have Python's frames (INTERCEPT_STACKS=python or both).
 *
 * To read the heap takes far longer than to read samples: it is wanted only where somebody looks at these columns.
 */
#ifndef REPORT_SAMPLES_LINE_MEMORY_H
#define REPORT_SAMPLES_LINE_MEMORY_H

#include "report/options/options.h"
#include "report/samples/lines.h"

/* Somebody looks: --source, or --columns, --sort or --filter with one of the columns. */
bool line_memory_is_wanted(const struct options *options);

/* Before anything is read: what line_memory_add() is handed. */
const void *line_memory_want(struct run *run);
/* Once all is read. False: no stack of the heap has a frame of Python, and nothing was added. */
bool line_memory_add(const void *heap, struct source *source, struct lines *lines);

void line_memory_join(struct line_memory *into, const struct line_memory *more);

#endif
