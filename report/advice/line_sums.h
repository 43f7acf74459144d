/* SPDX-License-Identifier: MIT */
/*
 * Sums of time by line of Python, to find the line with the most. Memory grows with distinct lines.
 */
#ifndef REPORT_ADVICE_LINE_SUMS_H
#define REPORT_ADVICE_LINE_SUMS_H

#include "report/advice/step_lines.h"
#include "report/samples/line_links.h"

struct line_sums {
	struct step_line *line;
	size_t count, room;
	struct map map;
	struct line_links callers;
	uint64_t ns, looks; /* over all lines */
	uint64_t queued_ns; /* of ns: see line_sums_add_queued() */
};

void line_sums_init(struct line_sums *sums);
void line_sums_release(struct line_sums *sums);
/* Adds the line's own ns and looks. */
void line_sums_add(struct line_sums *sums, const struct step_line *line);
/*
 * Adds time in which a thread was ready to run and had no CPU. It tells nothing of the line where
 * the thread lost the CPU, so all lines get of it in proportion to their own time.
 */
void line_sums_add_queued(struct line_sums *sums, uint64_t ns);
/* Returns the sum of the line; 0: it was not added. */
uint64_t line_sums_ns_of(const struct line_sums *sums, const struct step_line *line);
/*
 * Finds the line with the most time, and its most frequent caller; returns false if there is none.
 */
bool line_sums_most(const struct line_sums *sums, struct step_line *ret_line);

#endif
