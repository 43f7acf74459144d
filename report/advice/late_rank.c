/* SPDX-License-Identifier: MIT */
/*
 * Compares times of lines per step, because ranks may be recorded for different numbers of steps.
 */
#include "report/advice/late_rank.h"

#define PART_MIN 0.5 /* share of the others' wait */

struct rank_lines {
	struct line_sums late, others;
};

static void late_rank_add_row(struct rank_lines *lines, const struct bottleneck *bottleneck,
			      struct own *own, const struct wait_row *row, uint32_t late)
{
	struct wait_place place;

	if (row->look.of == WAIT_OF_THREAD)
		return;
	wait_place_look(bottleneck->waits->samples, own, row->look.place, &place);
	if (!place.has_line || !place.line.is_users)
		return;
	place.line.ns = row->ns;
	place.line.looks = row->looks;
	line_sums_add(row->look.process == late ? &lines->late : &lines->others, &place.line);
}

static double late_rank_excess_of(const struct rank_lines *lines, const struct late_rank *late,
				  const struct step_line *line)
{
	double own_ns = (double)line->ns / (double)late->steps;

	return own_ns - (double)line_sums_ns_of(&lines->others, line) / (double)late->other_steps;
}

static bool late_rank_find_most(const struct rank_lines *lines, const struct late_rank *late,
				struct step_line *ret_line, double *ret_excess_ns)
{
	bool found = false;

	for (size_t i = 0; i < lines->late.count; i++) {
		const struct step_line *line = &lines->late.line[i];
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

	if (!late->steps || !late->other_steps || !(late->waited_ns > 0))
		return false;
	own_places_init(&own, bottleneck->waits->samples, bottleneck->source,
			run_options(bottleneck->run));
	line_sums_init(&lines.late);
	line_sums_init(&lines.others);
	for (size_t i = 0; i < bottleneck->waits->row_count; i++)
		late_rank_add_row(&lines, bottleneck, &own, &bottleneck->waits->row[i],
				  late->process);
	found = late_rank_find_most(&lines, late, ret_line, ret_excess_ns);
	line_sums_release(&lines.late);
	line_sums_release(&lines.others);
	own_release(&own);
	return found;
}
