/* SPDX-License-Identifier: MIT */
/*
 * The rows of PyTorch's modules as a table of report modules: joins paths by name, and splits class
 * and dotted name.
 */
#include "report/modules/rows_modules.h"

#include <stdlib.h>
#include <string.h>

#include "report/table/rows_timing.h"

#define AFTER_CLASS ": " /* in a name, followed by the dotted name; the outermost module has none */

/*
 * Joins rows of paths that end with the same name into the first of them; [i] is that row. To be
 * freed.
 */
static uint32_t *modules_join(struct ranges *modules)
{
	uint32_t *joined = memory_zero(modules->row_count, sizeof(*joined));
	struct map names;

	map_init(&names);
	for (size_t i = 0; i < modules->row_count; i++) {
		struct range_row *row = &modules->row[i], *into;
		bool added;
		struct map_entry *entry = map_put(&names, (uint64_t)row->name + 1, &added);

		if (added)
			entry->value = i;
		joined[i] = (uint32_t)entry->value;
		into = &modules->row[entry->value];
		if (row->depth < into->depth)
			into->depth = row->depth;
		if (!added)
			range_row_merge(into, row);
	}
	map_release(&names);
	return joined;
}

static struct modules_totals modules_add_up(const struct ranges *modules)
{
	struct modules_totals totals = { 0 };

	for (size_t i = 0; i < modules->row_count; i++) {
		const struct range_row *row = &modules->row[i];

		totals.calls += row->count;
		totals.open += row->open;
		if (row->parent == RANGE_NONE)
			totals.total_ns += row->time.total_ns;
	}
	return totals;
}

static void rows_modules_put_name(struct table *table, const struct source_name *name)
{
	size_t length;
	const char *text = name_text(name, &length);
	const char *after = memmem(text, length, AFTER_CLASS, strlen(AFTER_CLASS));
	size_t class_length = after ? (size_t)(after - text) : length;
	size_t skipped = after ? class_length + strlen(AFTER_CLASS) : 0;

	table_set_text(table, COLUMN_modules_class, text, class_length);
	table_set_text(table, COLUMN_modules_module, text + skipped, length - skipped);
}

static void rows_modules_put_row(struct table *table, const struct source *source,
				 const struct range_row *row, uint64_t all_ns)
{
	rows_modules_put_name(table, source_name_at(source, row->name));
	table_set_number(table, COLUMN_modules_depth, row->depth);
	table_set_number(table, COLUMN_modules_calls, row->count);
	table_set_number(table, COLUMN_modules_open, row->open);
	table_set_number(table, COLUMN_modules_total_ns, row->time.total_ns);
	table_set_number(table, COLUMN_modules_self_ns, row->self_ns);
	if (all_ns)
		table_set_real(table, COLUMN_modules_percent,
			       100.0 * (double)row->time.total_ns / (double)all_ns);
	timing_put(table, TIMING_COLUMNS(modules), &row->time);
}

struct modules_totals modules_fill_table(struct ranges *modules, const struct run *run,
					 struct table *table, bool tree)
{
	struct work_columns columns = work_columns_of("modules", run);
	struct modules_totals totals = modules_add_up(modules);
	uint32_t *joined = tree ? NULL : modules_join(modules);

	table->is_tree = tree;
	for (size_t i = 0; i < modules->row_count; i++) {
		const struct range_row *row = &modules->row[i];
		size_t place;

		if (joined && joined[i] != i)
			continue;
		place = table_add_row(table);
		if (tree && row->parent != RANGE_NONE)
			table->parent[place] = row->parent;
		rows_modules_put_row(table, run_source(run), row, totals.total_ns);
		work_put_columns(&columns, table, &row->work);
		if (works_have_deferred(run))
			table_set_number(table, COLUMN_modules_gpu_self_ns,
					 row->gpu ? row->gpu->self_ns : 0);
	}
	free(joined);
	return totals;
}
