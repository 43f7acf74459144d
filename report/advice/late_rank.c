/* SPDX-License-Identifier: MIT */
/*
 * Compares times of lines per step, because ranks may be recorded for different numbers of steps.
 */
#include "report/advice/late_rank.h"

#include <stdlib.h>

#include "report/base/memory.h"

#define PART_MIN 0.5 /* share of the others' wait */

struct rank_lines {
	struct line_sums *of; /* processes, by index */
};

static void late_rank_add_row(struct rank_lines *lines, const struct bottleneck *bottleneck,
			      struct own *own, const struct wait_row *row,
			      const struct late_rank *late)
{
	struct wait_place place;

	if (row->look.of == WAIT_OF_THREAD || row->look.process >= late->processes ||
	    !late->steps[row->look.process])
		return;
	wait_place_look(bottleneck->waits->samples, own, row->look.place, &place);
	if (!place.has_line || !place.line.is_users)
		return;
	place.line.ns = row->ns;
	place.line.looks = row->looks;
	line_sums_add(&lines->of[row->look.process], &place.line);
}

/* More than the other rank that spends most there. */
static double late_rank_excess_of(const struct rank_lines *lines, const struct late_rank *late,
				  const struct step_line *line)
{
	double own_ns = (double)line->ns / (double)late->steps[late->process], other_ns = 0;

	for (size_t i = 0; i < late->processes; i++) {
		double ns = i == late->process || !late->steps[i]
				    ? 0
				    : (double)line_sums_ns_of(&lines->of[i], line) /
					      (double)late->steps[i];

		other_ns = ns > other_ns ? ns : other_ns;
	}
	return own_ns - other_ns;
}

static bool late_rank_find_most(const struct rank_lines *lines, const struct late_rank *late,
				struct step_line *ret_line, double *ret_excess_ns)
{
	const struct line_sums *own = &lines->of[late->process];
	bool found = false;

	for (size_t i = 0; i < own->count; i++) {
		const struct step_line *line = &own->line[i];
		double excess_ns = late_rank_excess_of(lines, late, line);

		if (line->looks < WAIT_LOOKS_MIN || excess_ns < PART_MIN * late->waited_ns ||
		    (found && excess_ns <= *ret_excess_ns))
			continue;
		*ret_excess_ns = excess_ns;
		*ret_line = *line;
		ret_line->caller_file = SAMPLE_NONE;
		found = true;
	}
	return found;
}

bool late_rank_line(const struct bottleneck *bottleneck, const struct late_rank *late,
		    struct step_line *ret_line, double *ret_excess_ns)
{
	struct rank_lines lines;
	struct own own;
	bool found;

	if (!late->steps[late->process] || !(late->waited_ns > 0))
		return false;
	own_places_init(&own, bottleneck->waits->samples, bottleneck->source,
			run_options(bottleneck->run));
	lines.of = memory_zero(late->processes, sizeof(*lines.of));
	for (size_t i = 0; i < late->processes; i++)
		line_sums_init(&lines.of[i]);
	for (size_t i = 0; i < bottleneck->waits->row_count; i++)
		late_rank_add_row(&lines, bottleneck, &own, &bottleneck->waits->row[i], late);
	found = late_rank_find_most(&lines, late, ret_line, ret_excess_ns);
	for (size_t i = 0; i < late->processes; i++)
		line_sums_release(&lines.of[i]);
	free(lines.of);
	own_release(&own);
	return found;
}
