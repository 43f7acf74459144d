/* SPDX-License-Identifier: MIT */
/* The summary's sentence on imports of Python, where they took a good part of the run. */
#include <stdio.h>

#include "report/base/text.h"
#include "report/summary/summary.h"

#define IMPORTS_MIN_NS 100000000u /* less is not worth a line */
#define IMPORTS_MIN_PART 10u      /* part of the run that they take at least */
#define MODULE_BYTES 100u

/* In imports that are in no other. */
static uint64_t time_of(const struct ranges *imports)
{
	uint64_t total_ns = 0;

	for (size_t i = 0; i < imports->row_count; i++)
		if (imports->row[i].parent == RANGE_NONE)
			total_ns += imports->row[i].time.total_ns;
	return total_ns;
}

/* Of one module, what its rows below several parents have each counts alone. */
static const struct range_row *slowest(const struct ranges *imports)
{
	const struct range_row *most = NULL;

	for (size_t i = 0; i < imports->row_count; i++)
		if (!most || imports->row[i].self_ns > most->self_ns)
			most = &imports->row[i];
	return most;
}

/* Nothing of several processes, whose imports are at the same time, and of parts of a run. */
bool summary_print_imports(const struct summary *summary, const struct screen *screen)
{
	const struct ranges *imports = &summary->imports->ranges;
	uint64_t total_ns = time_of(imports), wall_ns = summary->totals.wall_ns;
	char time[UNIT_TEXT_BYTES], most_time[UNIT_TEXT_BYTES], name[4 * MODULE_BYTES + 1];
	const struct range_row *most = slowest(imports);
	size_t length;
	const char *text;

	if (total_ns < IMPORTS_MIN_NS || total_ns < wall_ns / IMPORTS_MIN_PART ||
	    total_ns > wall_ns || summary->totals.processes > 1 || run_filters(summary->run)->any)
		return false;
	text = name_text(source_name_at(summary->source, most->name), &length);
	text_escape(name, sizeof(name), text, length < MODULE_BYTES ? length : MODULE_BYTES);
	screen_print_prose(screen,
			   "Imports of Python modules took %s (%llu %% of the run); the slowest by "
			   "itself is %s with %s (prof-report imports).",
			   unit_format_ns(time, total_ns),
			   (unsigned long long)(total_ns * 100 / wall_ns), name,
			   unit_format_ns(most_time, most->self_ns));
	return true;
}
