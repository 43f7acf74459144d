/* SPDX-License-Identifier: MIT */
/*
 * Heap memory by line of Python: what a line allocated itself, and what the stacks that contain it
 * allocated. For files whose heap events have Python's frames (INTERCEPT_STACKS=python or both).
 *
 * Reading the heap takes much longer than reading samples, so it is read only if these columns are
 * wanted.
 */
#ifndef REPORT_SAMPLES_LINE_MEMORY_H
#define REPORT_SAMPLES_LINE_MEMORY_H

#include "report/options/options.h"
#include "report/samples/lines.h"

/*
 * Returns whether a column is wanted: by --source, or by its name in --columns, --sort or --filter.
 */
bool line_memory_is_wanted(const struct options *options);

/* To be called before anything is read; returns the argument for line_memory_add(). */
const void *line_memory_want(struct run *run);
/* How much of the allocated bytes has a line: blocks without a stack have none. */
struct line_memory_share {
	uint64_t known_bytes, bytes;
};

/*
 * To be called after the reading. Returns false if no heap stack has a frame of Python, and adds
 * nothing then.
 */
bool line_memory_add(const void *heap, struct source *source, struct lines *lines,
		     struct line_memory_share *ret_share);

void line_memory_join(struct line_memory *into, const struct line_memory *more);

#endif
