/* SPDX-License-Identifier: MIT */
/*
 * Time added up by line of Python, for the line with most of it. Memory grows with distinct lines.
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
	uint64_t ns, looks; /* of all */
};

void line_sums_init(struct line_sums *sums);
void line_sums_release(struct line_sums *sums);
/* The line's own ns and looks are what is added. */
void line_sums_add(struct line_sums *sums, const struct step_line *line);
/* The line's own time; 0: it was not added. */
uint64_t line_sums_ns_of(const struct line_sums *sums, const struct step_line *line);
/* The one with most time, and from where it was called most; false: there is none. */
bool line_sums_most(const struct line_sums *sums, struct step_line *ret_line);

#endif
