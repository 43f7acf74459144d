/* SPDX-License-Identifier: MIT */
/*
 * Report `clocks`: a row for each clock, several if its drift changes. What it shows was found
 * before the report's own reading (core/clocks.h).
 */
#include <inttypes.h>
#include <string.h>

#include "report/clocks/clocks.h"
#include "report/core/report_kind.h"
#include "report/table/cells.h"

#define PPM_NS 1e3 /* ns a second */

struct clocks_report {
	const struct collectives *collectives;
};

static void report_clocks_want(struct report *report)
{
	struct clocks_report *mine = report->state;

	mine->collectives = collectives_want(report->run, &(struct collectives_options){ 0 });
}

static void report_clocks_put_clock(const struct source_clock *clock, struct table *table,
				    const char *basis)
{
	table_add_row(table);
	table_put_text(table, COLUMN_clocks_host, clock->host);
	table_set_number(table, COLUMN_clocks_files, clock->files);
	table_put_text(table, COLUMN_clocks_basis, basis);
}

static void report_clocks_put_piece(const struct source *source, struct table *table, size_t at,
				    const struct clock_piece *piece)
{
	report_clocks_put_clock(source_clock(source, at), table, "collectives");
	table_set_signed(table, COLUMN_clocks_offset_ns, piece->add_ns);
	table_set_number(table, COLUMN_clocks_uncertainty_ns, (uint64_t)piece->doubt_ns + 1);
	table_set_real(table, COLUMN_clocks_drift_ppm, piece->drift / PPM_NS);
	if (piece->drift_is_known)
		table_set_real(table, COLUMN_clocks_drift_uncertainty_ppm,
			       piece->drift_doubt / PPM_NS);
	table_set_number(table, COLUMN_clocks_from_ns,
			 source_corrected_ns(source, at, piece->from_ns));
	table_set_number(table, COLUMN_clocks_to_ns, source_corrected_ns(source, at, piece->to_ns));
	table_set_number(table, COLUMN_clocks_bounds, piece->bounds);
}

static void report_clocks_fill(struct report *report, struct table *table)
{
	const struct source *source = run_source(report->run);

	for (size_t i = 0; i < source_clocks(source); i++) {
		const struct source_clock *clock = source_clock(source, i);

		for (size_t k = 0; k < clock->pieces; k++)
			report_clocks_put_piece(source, table, i, &clock->piece[k]);
		if (clock->pieces)
			continue;
		report_clocks_put_clock(clock, table, i ? "real-time clock" : "reference");
		if (!i)
			table_set_number(table, COLUMN_clocks_uncertainty_ns, 0);
	}
}

static uint64_t report_clocks_unknown(const struct source *source)
{
	uint64_t unknown = 0;

	for (size_t i = 0; i < source_clocks(source); i++)
		unknown += source_clock(source, i)->doubt_ns == CLOCK_DOUBT_UNKNOWN;
	return unknown;
}

static void report_clocks_total(const struct report *report, struct facts *facts)
{
	const struct source *source = run_source(report->run);

	facts_number(facts, "clocks", UNIT_COUNT, source_clocks(source));
	facts_number(facts, "unknown", UNIT_COUNT, report_clocks_unknown(source));
}

static void report_clocks_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct clocks_report *mine = report->state;
	uint64_t unknown = report_clocks_unknown(run_source(report->run));

	if (!unknown)
		return;
	screen_print_prose(screen,
			   "%" PRIu64 " of the clocks are placed by their real-time clocks only: "
			   "%s. Between them, times may be off by milliseconds or more.",
			   unknown,
			   mine->collectives->call_count || mine->collectives->row_count
				   ? "no collective that is used is known to be common to them and "
				     "the reference"
				   : "no collective was recorded");
}

const struct report_kind report_kind_clocks = {
	.state_bytes = sizeof(struct clocks_report),
	.form = REPORT_WHOLE,
	.family = EVT_FAMILY_torch,
	.want = report_clocks_want,
	.fill = report_clocks_fill,
	.total = report_clocks_total,
	.foot = report_clocks_foot,
};
