/* SPDX-License-Identifier: MIT */
/* Report `flame`: stacks folded for other tools, or drawn. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/stacks/flame_svg.h"
#include "report/stacks/stack_report.h"

#define TITLE_BYTES 256

static void report_flame_flame_want(struct report *report)
{
	stack_report_want(report->state, report);
}

static void flame_fill(struct report *report, struct table *table)
{
	struct stack_report *state = report->state;
	enum unit unit;

	stack_report_read(state, report);
	stack_rows_attach(&state->rows, table, report->request->options->stack_frames);
	unit = stack_report_unit(state);
	for (size_t i = 0; i < state->rows.place_count; i++) {
		const char *text = named_stack_text(&state->rows.names, state->rows.place[i].stack,
						    &table->texts);
		size_t row = table_add_row(table);

		stack_rows_note(&state->rows, row, state->rows.place[i].stack);
		table_set_text(table, COLUMN_flame_stack, text, strlen(text));
		table_set_amount(table, COLUMN_flame_value, state->weight[i], unit);
		if (state->all)
			table_set_real(table, COLUMN_flame_percent,
				       100.0 * (double)state->weight[i] / (double)state->all);
	}
}

/*
 * Stacks that differ only in lines are one. The order of the output means nothing, but is always
 * the same.
 */
static void draw_folded(const struct stack_report *state, FILE *out)
{
	struct stack_tree tree;
	uint32_t *order, *path;

	stack_report_tree(state, &tree, false, TREE_BY_NAME);
	order = stack_tree_order(&tree);
	path = memory_zero(tree.count + 1, sizeof(*path));
	for (size_t i = 0; i + 1 < tree.count; i++) {
		const struct tree_node *node = &tree.node[order[i]];

		path[node->depth] = order[i];
		if (!node->self)
			continue;
		for (uint32_t depth = 1; depth <= node->depth; depth++) {
			char shown[NAMED_TEXT_FRAME_MAX];
			size_t length = named_frame_text(shown, tree_name(&tree, path[depth]));

			fprintf(out, "%s%.*s", depth > 1 ? ";" : "", (int)length, shown);
		}
		fprintf(out, " %" PRIu64 "\n", node->self);
	}
	free(order);
	free(path);
	stack_tree_release(&tree);
}

static void draw_svg(const struct stack_report *state, struct source *source, FILE *out)
{
	struct source_process *const *process;
	size_t count = source_processes(source, &process);
	char title[TITLE_BYTES], subtitle[TITLE_BYTES];
	struct flame_text text = { .title = title,
				   .subtitle = subtitle,
				   .unit = stack_report_unit(state) };
	struct stack_tree tree;

	snprintf(title, sizeof(title), "%s",
		 count ? source_name_text(process[0]->command) : "intercept");
	stack_report_describe(state, subtitle, sizeof(subtitle));
	stack_report_tree(state, &tree, false, TREE_BY_NAME);
	flame_svg_write(out, &tree, &text);
	stack_tree_release(&tree);
}

static void flame_draw(const struct document *document, const struct screen *screen,
		       enum export_format format)
{
	const struct report *report = document->context;
	const struct stack_report *state = report->state;

	if (format == FORMAT_SVG)
		draw_svg(state, document->source, screen->out);
	else
		draw_folded(state, screen->out);
}

static void flame_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;

	stack_report_head(report->state, screen);
}

static void flame_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;

	stack_rows_print_notes(&((const struct stack_report *)report->state)->rows, screen);
}

static void flame_total(const struct report *report, struct facts *facts)
{
	stack_report_total(report->state, facts);
}

static const char *flame_explain(const struct report *report, struct why_empty *absence)
{
	return stack_report_explain(report->state, report, absence);
}

static void flame_release(struct report *report)
{
	stack_report_release(report->state);
}

const struct report_kind report_kind_flame = {
	.state_bytes = sizeof(struct stack_report),
	.family = EVT_FAMILY_alloc,
	.want = report_flame_flame_want,
	.fill = flame_fill,
	.total = flame_total,
	.explain = flame_explain,
	.head = flame_head,
	.foot = flame_foot,
	.draw = flame_draw,
	.release = flame_release,
};
