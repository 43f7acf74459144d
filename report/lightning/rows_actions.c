/* SPDX-License-Identifier: MIT */
/*
 * Fills the table from the best source that has rows: Lightning's actions, user scopes, or NVTX
 * ranges. Rows of equal names become one.
 */
#include "report/lightning/rows_actions.h"

#include <stdlib.h>
#include <string.h>

#include "report/torch/rows_ops.h"
#include "report/table/rows_timing.h"

#define TOTAL "Total"

/* One row, from any source. */
struct action_line {
	struct operator_text name;
	uint64_t calls, open, gpu_ns;
	uint64_t covered_ns; /* each moment of a process counts once */
	const struct timing *time;
};

struct action_lines {
	struct action_line *line;
	size_t count, room;
};

static void rows_actions_lines_add(struct action_lines *lines, struct action_line line)
{
	lines->line = memory_room(lines->line, lines->count, &lines->room, sizeof(*lines->line));
	lines->line[lines->count++] = line;
}

static void lines_of_lightning(const struct actions_sources *from, struct action_lines *lines)
{
	const struct actions *actions = from->actions;

	for (size_t i = 0; i < actions->row_count; i++) {
		const struct action_row *row = &actions->row[i];
		struct action_line line = { .calls = row->calls,
					    .open = row->open,
					    .gpu_ns = row->gpu_ns,
					    .covered_ns = cover_ns(&actions->cover, (uint32_t)i),
					    .time = &row->time };

		line.name.text = name_text(source_name_at(from->source, row->name),
					   &line.name.length);
		if (row->calls)
			rows_actions_lines_add(lines, line);
	}
}

/*
 * Async scopes are in no cover. They may overlap themselves, so the sum of their durations is an
 * upper bound.
 */
static uint64_t covered_of(const struct operators *operators, const struct operator_row *row)
{
	uint32_t number = (uint32_t)(row - operators->row);

	return row->apart ? row->total.ns : operators_covered_ns(operators, number);
}

static void lines_of_scopes(const struct actions_sources *from, struct action_lines *lines)
{
	for (size_t i = 0; i < from->operators->row_count; i++) {
		const struct operator_row *row = &from->operators->row[i];

		if (row->scope == EVT_SCOPE_USER && ops_row_is_shown(from->source, row))
			rows_actions_lines_add(
				lines, (struct action_line){
					       .name = ops_row_name(from->source, row),
					       .calls = row->calls,
					       .open = row->open,
					       .gpu_ns = row->gpu_total_ns,
					       .covered_ns = covered_of(from->operators, row),
					       .time = &row->time });
	}
}

static void lines_of_ranges(const struct actions_sources *from, struct action_lines *lines)
{
	for (size_t i = 0; i < from->ranges->row_count; i++) {
		const struct range_row *row = &from->ranges->row[i];
		struct action_line line = { .calls = row->count,
					    .open = row->open,
					    .gpu_ns = row->work.gpu_ns,
					    .covered_ns = cover_ns(&from->ranges->cover,
								   (uint32_t)i + 1),
					    .time = &row->time };

		line.name.text = name_text(source_name_at(from->source, row->name),
					   &line.name.length);
		rows_actions_lines_add(lines, line);
	}
}

static enum action_source lines_choose(const struct actions_sources *from,
				       struct action_lines *lines)
{
	static void (*const fill[ACTION_SOURCES])(const struct actions_sources *from,
						  struct action_lines *lines) = {
		[ACTIONS_LIGHTNING] = lines_of_lightning,
		[ACTIONS_SCOPES] = lines_of_scopes,
		[ACTIONS_RANGES] = lines_of_ranges,
	};
	int source = ACTIONS_LIGHTNING;

	fill[source](from, lines);
	while (!lines->count && source < ACTION_SOURCES - 1)
		fill[++source](from, lines);
	return (enum action_source)source;
}

static void rows_actions_put_times(struct table *table, uint64_t total_ns, uint64_t covered_ns,
				   uint64_t wall_ns)
{
	table_set_number(table, COLUMN_actions_total_ns, total_ns);
	if (covered_ns <= wall_ns && wall_ns)
		table_set_real(table, COLUMN_actions_percent,
			       100.0 * (double)covered_ns / (double)wall_ns);
}

static void rows_actions_put_line(struct table *table, const struct action_line *line,
				  uint64_t wall_ns, bool has_gpu)
{
	static const struct timing_columns columns = {
		.avg = COLUMN_actions_mean_ns,
		.min = COLUMN_actions_min_ns,
		.max = COLUMN_actions_max_ns,
		.stddev = COLUMN_actions_stddev_ns,
		.p50 = COLUMN_actions_p50_ns,
		.p90 = COLUMN_actions_p90_ns,
		.p99 = COLUMN_actions_p99_ns,
	};

	table_add_row(table);
	table_set_text(table, COLUMN_actions_name, line->name.text, line->name.length);
	table_set_number(table, COLUMN_actions_calls, line->calls);
	table_set_number(table, COLUMN_actions_open, line->open);
	rows_actions_put_times(table, line->time->total_ns, line->covered_ns, wall_ns);
	if (has_gpu)
		table_set_number(table, COLUMN_actions_gpu_ns, line->gpu_ns);
	timing_put(table, columns, line->time);
}

static void rows_actions_put_total(struct table *table, const struct actions_totals *totals)
{
	table_add_row(table);
	table_set_text(table, COLUMN_actions_name, TOTAL, strlen(TOTAL));
	table_set_number(table, COLUMN_actions_calls, totals->calls);
	table_set_number(table, COLUMN_actions_open, totals->open);
	rows_actions_put_times(table, totals->wall_ns, totals->wall_ns, totals->wall_ns);
	table->pinned = 1;
}

struct actions_totals actions_fill_table(const struct actions_sources *from, struct table *table,
					 bool total_row)
{
	struct action_lines lines = { .count = 0 };
	struct actions_totals totals = { .source = lines_choose(from, &lines) };

	totals.wall_ns = actions_wall_ns(from->actions, totals.source);
	for (size_t i = 0; i < lines.count; i++) {
		totals.calls += lines.line[i].calls;
		totals.open += lines.line[i].open;
	}
	if (total_row && lines.count)
		rows_actions_put_total(table, &totals);
	for (size_t i = 0; i < lines.count; i++)
		rows_actions_put_line(table, &lines.line[i], totals.wall_ns, from->has_gpu);
	free(lines.line);
	return totals;
}
