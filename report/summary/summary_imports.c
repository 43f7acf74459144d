/* SPDX-License-Identifier: MIT */
/* The summary's sentence on imports of Python, if they took a considerable part of the run. */
#include <stdio.h>

#include "report/base/text.h"
#include "report/summary/summary.h"

#define IMPORTS_MIN_NS 100000000u /* a shorter time is not mentioned */
#define IMPORTS_MIN_PART 10u      /* nor is a smaller part of the run than one in so many */
/* a module is named if it took at least this part of the time: one in so many */
#define MOST_PART 4u
#define MODULE_BYTES 100u

/* Sums imports that are in no other import. */
static uint64_t time_of(const struct ranges *imports)
{
	uint64_t total_ns = 0;

	for (size_t i = 0; i < imports->row_count; i++)
		if (imports->row[i].parent == RANGE_NONE)
			total_ns += imports->row[i].time.total_ns;
	return total_ns;
}

/* Returns the row with the most time: by itself, or in total among imports that are in no other. */
static const struct range_row *slowest(const struct ranges *imports, bool by_itself)
{
	const struct range_row *most = NULL;
	uint64_t most_ns = 0;

	for (size_t i = 0; i < imports->row_count; i++) {
		const struct range_row *row = &imports->row[i];
		uint64_t ns = by_itself ? row->self_ns : row->time.total_ns;

		if ((by_itself || row->parent == RANGE_NONE) && ns > most_ns) {
			most = row;
			most_ns = ns;
		}
	}
	return most;
}

static void put_module(const struct summary *summary, const struct screen *screen,
		       const struct range_row *row)
{
	char name[4 * MODULE_BYTES + 1];
	size_t length;
	const char *text = name_text(source_name_at(summary->source, row->name), &length);

	text_escape(name, sizeof(name), text, length < MODULE_BYTES ? length : MODULE_BYTES);
	fputs(name, screen->out);
}

/*
 * "took 627 ms (68 % of the run), 590 ms of it for flask and what it imports. The slowest by
 * itself is ssl with 23.3 ms"
 */
static void print_time(const struct summary *summary, const struct screen *screen,
		       uint64_t total_ns)
{
	const struct ranges *imports = &summary->imports->ranges;
	const struct range_row *widest = slowest(imports, false), *most = slowest(imports, true);
	char time[UNIT_TEXT_BYTES];
	struct prose prose;

	prose_begin(&prose, screen);
	fprintf(prose.screen.out, "Imports of Python modules took %s (%llu %% of the run)",
		unit_format_ns(time, total_ns),
		(unsigned long long)(total_ns * 100 / summary->totals.wall_ns));
	if (widest && widest->time.total_ns >= total_ns / MOST_PART) {
		fprintf(prose.screen.out, ", %s of it for ",
			unit_format_ns(time, widest->time.total_ns));
		put_module(summary, &prose.screen, widest);
		fputs(" and what it imports", prose.screen.out);
	}
	if (most) {
		fputs(". The slowest by itself is ", prose.screen.out);
		put_module(summary, &prose.screen, most);
		fprintf(prose.screen.out, " with %s", unit_format_ns(time, most->self_ns));
	}
	fputs(" (prof-report imports).", prose.screen.out);
	prose_end(&prose, screen);
}

/*
 * Prints nothing for several processes, whose imports overlap in time, and nothing for parts of
 * runs.
 */
bool summary_print_imports(const struct summary *summary, const struct screen *screen)
{
	const struct ranges *imports = &summary->imports->ranges;
	uint64_t total_ns = time_of(imports), wall_ns = summary->totals.wall_ns;

	if (total_ns < IMPORTS_MIN_NS || total_ns < wall_ns / IMPORTS_MIN_PART ||
	    total_ns > wall_ns || summary->totals.processes > 1 || run_filters(summary->run)->any)
		return false;
	print_time(summary, screen, total_ns);
	return true;
}
