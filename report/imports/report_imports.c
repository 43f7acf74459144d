/* SPDX-License-Identifier: MIT */
/* Report `imports`: time and memory that importing Python modules took. */
#include "report/core/report_kind.h"
#include "report/core/unmatched.h"
#include "report/imports/import_events.h"
#include "report/table/cells.h"

struct imports_state {
	struct imports *imports;
	struct import_sums {
		uint64_t imports, failed, open, total_ns;
	} sums;
};

/*
 * A filter may drop begins but keep their ends, which then seem to have no begin. So with a filter
 * the count is not shown.
 */
static uint64_t imports_unmatched(const struct report *report)
{
	const struct imports_state *state = report->state;

	return run_filters(report->run)->any ? 0 : state->imports->ranges.unbalanced;
}

static void imports_prepare(struct report *report)
{
	((struct imports_state *)report->state)->imports = imports_want(
		report->run, &(struct imports_options){ .work = work_bits_of("imports") });
}

static struct import_sums report_imports_add_up(const struct imports *imports)
{
	struct import_sums sums = { 0 };

	for (size_t i = 0; i < imports->ranges.row_count; i++) {
		const struct range_row *row = &imports->ranges.row[i];

		sums.imports += row->count;
		sums.failed += imports->origin[i].failed;
		sums.open += row->open;
		if (row->parent == RANGE_NONE)
			sums.total_ns += row->time.total_ns;
	}
	return sums;
}

static void report_imports_put_row(struct table *table, const struct source *source,
				   const struct imports_state *state, size_t number)
{
	const struct ranges *ranges = &state->imports->ranges;
	const struct range_row *row = &ranges->row[number];
	const struct import_origin *origin = &state->imports->origin[number];

	table_put_known_name(table, COLUMN_imports_module, source, row->name);
	if (row->parent != RANGE_NONE)
		table_put_known_name(table, COLUMN_imports_parent, source,
				     ranges->row[row->parent].name);
	table_set_number(table, COLUMN_imports_depth, row->depth);
	table_set_number(table, COLUMN_imports_imports, row->count);
	table_set_number(table, COLUMN_imports_failed, origin->failed);
	table_set_number(table, COLUMN_imports_cumulative_ns, row->time.total_ns);
	table_set_number(table, COLUMN_imports_self_ns, row->self_ns);
	if (state->sums.total_ns)
		table_set_real(table, COLUMN_imports_percent,
			       100.0 * (double)row->self_ns / (double)state->sums.total_ns);
	table_put_known_name(table, COLUMN_imports_file, source, origin->file);
	if (origin->line)
		table_set_number(table, COLUMN_imports_line, origin->line);
	table_set_number(table, COLUMN_imports_open, row->open);
}

/* Filled only if the family was recorded, as its other columns. */
static void put_self(struct table *table, const struct work_columns *columns,
		     const struct work *self)
{
	if (columns->column[WORK_bytes_allocated] != COLUMN_ID_LIMIT) {
		table_set_number(table, COLUMN_imports_self_allocations, self->allocations);
		table_set_number(table, COLUMN_imports_self_bytes_allocated, self->bytes_allocated);
	}
	if (columns->column[WORK_io_calls] != COLUMN_ID_LIMIT) {
		table_set_number(table, COLUMN_imports_self_io_calls, self->io_calls);
		table_set_number(table, COLUMN_imports_self_io_bytes, self->io_bytes);
	}
}

static void imports_fill(struct report *report, struct table *table)
{
	const struct options *options = report->request->options;
	struct imports_state *state = report->state;
	const struct ranges *ranges = &state->imports->ranges;
	struct work_columns columns = work_columns_of("imports", report->run);

	state->sums = report_imports_add_up(state->imports);
	table->is_tree = options->tree;
	for (size_t i = 0; i < ranges->row_count; i++) {
		size_t place = table_add_row(table);

		if (options->tree && ranges->row[i].parent != RANGE_NONE)
			table->parent[place] = ranges->row[i].parent;
		report_imports_put_row(table, run_source(report->run), state, i);
		work_put_columns(&columns, table, &ranges->row[i].work);
		put_self(table, &columns, &state->imports->origin[i].self);
	}
	if (options->tree && !options->sort) /* rows are in the order of the first imports */
		report->request->arrangement.sort = -1;
}

static void imports_total(const struct report *report, struct facts *facts)
{
	const struct import_sums *sums = &((const struct imports_state *)report->state)->sums;

	facts_number(facts, "imports", UNIT_COUNT, sums->imports);
	facts_number(facts, "failed", UNIT_COUNT, sums->failed);
	facts_number(facts, "total_ns", UNIT_NS, sums->total_ns);
	facts_number(facts, "open", UNIT_COUNT, sums->open);
	facts_number(facts, "unmatched", UNIT_COUNT, imports_unmatched(report));
}

static void imports_foot(const struct document *document, const struct screen *screen)
{
	unmatched_print_ends(screen, imports_unmatched(document->context), "import");
}

const struct report_kind report_kind_imports = {
	.state_bytes = sizeof(struct imports_state),
	.family = EVT_FAMILY_imports,
	.want = imports_prepare,
	.fill = imports_fill,
	.total = imports_total,
	.foot = imports_foot,
};
