/* SPDX-License-Identifier: MIT */
/*
 * The rows of PyTorch's modules as a table of report modules: joins paths by name, adds up what is
 * in the modules within, and splits class and dotted name.
 */
#include "report/modules/rows_modules.h"

#include <stdlib.h>
#include <string.h>

#include "report/table/rows_timing.h"

#define AFTER_CLASS ": " /* in a name, followed by the dotted name; the outermost module has none */

/* What all rows of one name have in common. */
struct module_line {
	struct module_row row; /* counts and times of all of them */
	struct module_amounts self, total;
	const struct module_amounts *phase;
};

static struct modules_totals modules_add_up(const struct module_tree *tree)
{
	struct modules_totals totals = { 0 };

	for (size_t i = 0; i < tree->count; i++) {
		const struct module_row *row = &tree->row[i];

		totals.calls += row->calls;
		totals.recomputed_calls += row->recomputed_calls;
		totals.open += row->open;
		for (unsigned int phase = 0; phase < MODULE_PHASES; phase++) {
			uint64_t ns = row->own[phase].ns + row->within[phase].ns;

			totals.phase_ns[phase] += ns;
			totals.total_ns += ns;
		}
	}
	return totals;
}

void modules_put_name(struct table *table, const struct source_name *name,
		      enum column_id module_column, enum column_id class_column)
{
	size_t length;
	const char *text = name_text(name, &length);
	const char *after = memmem(text, length, AFTER_CLASS, strlen(AFTER_CLASS));
	size_t class_length = after ? (size_t)(after - text) : length;
	size_t skipped = after ? class_length + strlen(AFTER_CLASS) : 0;

	if (class_column != COLUMN_ID_LIMIT)
		table_set_text(table, class_column, text, class_length);
	table_set_text(table, module_column, text + skipped, length - skipped);
}

static void line_add_row(struct module_line *line, const struct module_row *row)
{
	struct module_amounts self = module_row_self(row);

	if (row->depth < line->row.depth)
		line->row.depth = row->depth;
	line->row.calls += row->calls;
	line->row.recomputed_calls += row->recomputed_calls;
	line->row.compiled_calls += row->compiled_calls;
	line->row.backward_functions += row->backward_functions;
	line->row.open += row->open;
	timing_merge(&line->row.time, &row->time);
	module_amounts_add(&line->self, &self);
}

/* Lines of rows that are not the first of their name stay empty. */
static struct module_line *modules_lines(const struct module_tree *tree, const uint32_t *joined,
					 const struct module_amounts *sums)
{
	struct module_line *lines = memory_zero(tree->count + 1, sizeof(*lines));

	for (size_t i = 0; i < tree->count; i++) {
		struct module_line *line = &lines[joined ? joined[i] : i];

		if (!joined || joined[i] == i) {
			line->row.name = tree->row[i].name;
			line->row.parent = tree->row[i].parent;
			line->row.depth = tree->row[i].depth;
			line->phase = &sums[i * MODULE_PHASES];
			for (unsigned int phase = 0; phase < MODULE_PHASES; phase++)
				module_amounts_add(&line->total, &line->phase[phase]);
		}
		line_add_row(line, &tree->row[i]);
	}
	return lines;
}

static void line_put_times(struct table *table, const struct module_line *line,
			   const struct modules_totals *totals)
{
	table_set_number(table, COLUMN_modules_total_ns, line->total.ns);
	table_set_number(table, COLUMN_modules_self_ns, line->self.ns);
	if (totals->total_ns)
		table_set_real(table, COLUMN_modules_percent,
			       100.0 * (double)line->total.ns / (double)totals->total_ns);
	table_set_number(table, COLUMN_modules_forward_ns, line->phase[MODULE_FORWARD].ns);
	timing_put(table, TIMING_COLUMNS(modules), &line->row.time);
}

static void line_put_backward(struct table *table, const struct module_line *line)
{
	table_set_number(table, COLUMN_modules_backward_ns, line->phase[MODULE_BACKWARD].ns);
	table_set_number(table, COLUMN_modules_backward_functions, line->row.backward_functions);
	table_set_number(table, COLUMN_modules_recomputed_ns, line->phase[MODULE_RECOMPUTED].ns);
	table_set_number(table, COLUMN_modules_recomputed_calls, line->row.recomputed_calls);
}

static void line_put_gpu(struct table *table, const struct module_line *line, bool knows_backward)
{
	table_set_number(table, COLUMN_modules_gpu_ns, line->total.gpu_ns);
	table_set_number(table, COLUMN_modules_gpu_self_ns, line->self.gpu_ns);
	table_set_number(table, COLUMN_modules_gpu_ops, line->total.gpu_ops);
	table_set_number(table, COLUMN_modules_gpu_forward_ns, line->phase[MODULE_FORWARD].gpu_ns);
	if (!knows_backward)
		return;
	table_set_number(table, COLUMN_modules_gpu_backward_ns,
			 line->phase[MODULE_BACKWARD].gpu_ns);
	table_set_number(table, COLUMN_modules_gpu_recomputed_ns,
			 line->phase[MODULE_RECOMPUTED].gpu_ns);
}

static void modules_put_line(struct table *table, const struct modules *modules,
			     const struct run *run, const struct module_line *line,
			     const struct modules_totals *totals)
{
	bool knows_backward = modules_know_backward(modules);

	modules_put_name(table, source_name_at(run_source(run), line->row.name),
			 COLUMN_modules_module, COLUMN_modules_class);
	table_set_number(table, COLUMN_modules_depth, line->row.depth);
	table_set_number(table, COLUMN_modules_calls, line->row.calls);
	table_set_number(table, COLUMN_modules_open, line->row.open);
	if (modules->has_compiled)
		table_set_number(table, COLUMN_modules_compiled_calls, line->row.compiled_calls);
	line_put_times(table, line, totals);
	if (knows_backward)
		line_put_backward(table, line);
	if (works_have_deferred(run))
		line_put_gpu(table, line, knows_backward);
	if (knows_backward && modules->categories && modules->categories->is_known) {
		table_set_number(table, COLUMN_modules_activation_bytes,
				 line->total.kept_bytes[MODULE_ACTIVATIONS]);
		if (!modules->is_sharded)
			table_set_number(table, COLUMN_modules_parameter_bytes,
					 line->total.kept_bytes[MODULE_GRADIENTS]);
	}
	if (modules->has_inputs && !line->total.flops_unknown)
		table_set_number(table, COLUMN_modules_flops, line->total.flops);
	if (modules->has_inputs && !line->self.flops_unknown)
		table_set_number(table, COLUMN_modules_self_flops, line->self.flops);
}

static bool line_is_shown(const struct module_line *line)
{
	return line->row.calls || line->row.recomputed_calls || line->row.backward_functions;
}

struct modules_totals modules_fill_table(const struct modules *modules, const struct run *run,
					 struct table *table, bool tree)
{
	struct work_columns columns = work_columns_of("modules", run);
	const struct module_tree *rows = &modules->scopes.tree;
	uint32_t *joined = tree ? NULL : module_tree_join(rows);
	struct module_amounts *sums = module_tree_add_up(rows, joined);
	struct module_line *lines = modules_lines(rows, joined, sums);
	struct modules_totals totals = modules_add_up(rows);

	table->is_tree = tree;
	for (size_t i = 0; i < rows->count; i++) {
		size_t place;

		if (tree || line_is_shown(&lines[i])) {
			place = table_add_row(table);
			if (tree && lines[i].row.parent != MODULE_NONE)
				table->parent[place] = lines[i].row.parent;
			work_put_columns(&columns, table, &lines[i].total.work);
			modules_put_line(table, modules, run, &lines[i], &totals);
		}
		timing_release(&lines[i].row.time);
	}
	free(lines);
	free(sums);
	free(joined);
	return totals;
}
