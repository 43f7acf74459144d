/* SPDX-License-Identifier: MIT */
/* Tables of the Python functions with the most self time, by calls or by samples. */
#include "report/advice/top_functions.h"

#include <inttypes.h>
#include <string.h>

#include "report/options/keys.h"
#include "report/functions/function_place.h"
#include "report/samples/lines.h"
#include "report/table/cells.h"
#include "report/table/part.h"

#define ROWS 10

/* --- of calls --- */

static void top_functions_call_put(struct table *table, const struct source *source,
				   const struct call_row *row, uint64_t all_ns)
{
	size_t length;
	const char *text = function_place_text(function_place_of(source, row->function),
					       &table->texts, &length);

	table_add_row(table);
	table_set_text(table, COLUMN_functions_place, text, length);
	table_set_number(table, COLUMN_functions_ncalls, row->counts.calls);
	table_set_number(table, COLUMN_functions_tottime_ns, row->counts.self_ns);
	table_set_number(table, COLUMN_functions_cumtime_ns, row->counts.total_ns);
	if (all_ns)
		table_set_real(table, COLUMN_functions_percent,
			       100.0 * (double)row->counts.self_ns / (double)all_ns);
}

static void calls_fill(const struct bottleneck *bottleneck, struct table *table)
{
	const struct calls *calls = &bottleneck->functions->calls;
	uint64_t all_ns = 0;

	for (size_t i = 0; i < calls->row_count; i++)
		all_ns += calls->row[i].counts.self_ns;
	for (size_t i = 0; i < calls->row_count; i++)
		top_functions_call_put(table, bottleneck->source, &calls->row[i], all_ns);
}

static const enum column_id call_columns[] = { COLUMN_functions_place, COLUMN_functions_percent,
					       COLUMN_functions_tottime_ns,
					       COLUMN_functions_cumtime_ns,
					       COLUMN_functions_ncalls };
static const struct part call_part = { "Python functions by self time (prof-report functions)",
				       COLUMN_functions_tottime_ns, ROWS, call_columns,
				       sizeof(call_columns) / sizeof(call_columns[0]) };

/* --- of samples --- */

static void top_functions_line_put(struct table *table, const struct source *source,
				   const struct line *line, uint64_t all_ns)
{
	table_add_row(table);
	table_put_name(table, COLUMN_lines_function, source, line->function);
	table_put_name(table, COLUMN_lines_file, source, line->file);
	if (line->number)
		table_set_number(table, COLUMN_lines_line, line->number);
	table_set_number(table, COLUMN_lines_cpu_ns, line->self.cpu_ns);
	table_set_number(table, COLUMN_lines_wait_ns, line->self.wait_ns);
	table_set_real(table, COLUMN_lines_percent,
		       100.0 * (double)line->self.cpu_ns / (double)all_ns);
}

/* CPU time without Python is part of the whole, as in report lines, but has no row. */
static void lines_fill(const struct bottleneck *bottleneck, struct table *table)
{
	struct lines lines = { 0 };
	struct own own;
	uint64_t all_ns = 0;

	own_init(&own, bottleneck->source, run_options(bottleneck->run));
	lines_make_own(&lines, bottleneck->lines->samples, LINES_BY_FUNCTION, &own,
		       !run_filters(bottleneck->run)->any);
	for (size_t i = 0; i < lines.count; i++)
		all_ns += lines.line[i].is_outside || lines.line[i].is_import
				  ? 0
				  : lines.line[i].self.cpu_ns;
	for (size_t i = 0; i < lines.count; i++)
		if (lines.line[i].file != SAMPLE_NONE && lines.line[i].self.cpu_ns)
			top_functions_line_put(table, bottleneck->source, &lines.line[i], all_ns);
	lines_release(&lines);
	own_release(&own);
}

static const enum column_id line_columns[] = { COLUMN_lines_function, COLUMN_lines_percent,
					       COLUMN_lines_cpu_ns,   COLUMN_lines_wait_ns,
					       COLUMN_lines_file,     COLUMN_lines_line };
static const struct part line_part = {
	"functions by sampled CPU time (prof-report lines --by function)", COLUMN_lines_cpu_ns,
	ROWS, line_columns, sizeof(line_columns) / sizeof(line_columns[0])
};

void top_functions_print(const struct bottleneck *bottleneck, const struct document *document,
			 const struct screen *screen)
{
	bool has_calls = bottleneck->functions->calls.row_count != 0;
	struct table table;

	key_init_table(&table, has_calls ? BY_functions_function : BY_lines_function);
	if (has_calls)
		calls_fill(bottleneck, &table);
	else
		lines_fill(bottleneck, &table);
	if (table.row_count)
		part_print(&table, has_calls ? &call_part : &line_part, document, screen);
	table_release(&table);
}
