/* SPDX-License-Identifier: MIT */
/* Reports `top-down` and `bottom-up`: stacks as trees in the terminal. */
#include <stdlib.h>
#include <string.h>

#include "report/stacks/stack_report.h"
#include "report/base/units.h"

#define SHARE_MIN 0.005  /* share of the whole below which rows are left out for people */
#define ROWS_SHOWN 60    /* a tree needs more rows than a table */
#define JOINED_BYTES 48u /* bytes of names that are joined; further names become a number */

struct tree_state {
	struct stack_report stacks;
	bool is_bottom_up;
	size_t left_out; /* number of nodes left out */
};

struct tree_columns {
	enum column_id function, depth, total, percent, self, self_percent;
};

static const struct tree_columns columns_of_kind[2] = {
	{ COLUMN_top_down_function, COLUMN_top_down_depth, COLUMN_top_down_total,
	  COLUMN_top_down_percent, COLUMN_top_down_self, COLUMN_top_down_self_percent },
	{ COLUMN_bottom_up_function, COLUMN_bottom_up_depth, COLUMN_bottom_up_total,
	  COLUMN_bottom_up_percent, COLUMN_ID_LIMIT, COLUMN_ID_LIMIT },
};

/* The state while a tree is put into a table. */
struct filling {
	struct tree_state *state;
	struct table *table;
	struct stack_tree tree;
	bool for_people;
	uint32_t *only;  /* by node: its only child with the same total; 0: none */
	bool *is_joined; /* the node is in the row of its parent */
	uint32_t *row;   /* row of a node + 1, 0: none */
	uint32_t *level; /* of a node: number of rows around its row */
};

static void want_tree(struct report *report, bool is_bottom_up)
{
	struct tree_state *state = report->state;

	state->is_bottom_up = is_bottom_up;
	stack_report_want(&state->stacks, report);
}

static void want_top_down(struct report *report)
{
	want_tree(report, false);
}

static void want_bottom_up(struct report *report)
{
	want_tree(report, true);
}

/* Decides which nodes are in one row with their parent: an only child with the same total. */
static void find_joined(struct filling *filling)
{
	struct stack_tree *tree = &filling->tree;

	for (uint32_t i = 1; filling->for_people && i < tree->count; i++) {
		uint32_t parent = tree->node[i].parent;

		if (parent != TREE_ROOT && tree->node[i].total == tree->node[parent].total) {
			filling->only[parent] = i;
			filling->is_joined[i] = true;
		}
	}
}

/* A recursion is one word; returns the node after it. */
static uint32_t report_trees_put_name(const struct filling *filling, uint32_t node, FILE *out)
{
	const char *name = tree_name(&filling->tree, node);
	size_t times = 1;

	fputs(name, out);
	for (node = filling->only[node]; node; node = filling->only[node], times++)
		if (strcmp(tree_name(&filling->tree, node), name) != 0)
			break;
	if (times > 1)
		fprintf(out, " (%zu times)", times);
	return node;
}

/*
 * Counts the names that do not fit. For callers the first ones are kept; for calls the last one,
 * where the tree goes on. Cutting the chain in its middle would leave main() at the end of each
 * row.
 */
static void put_rest(const struct filling *filling, uint32_t node, FILE *out)
{
	const char *sign = filling->state->is_bottom_up ? " < " : " > ";
	uint32_t last = node;
	size_t count = 1;

	for (; filling->only[last]; count++)
		last = filling->only[last];
	if (filling->state->is_bottom_up) {
		fprintf(out, "%s%zu more", sign, count);
		return;
	}
	if (count > 1)
		fprintf(out, "%s%zu more", sign, count - 1);
	fprintf(out, "%s%s", sign, tree_name(&filling->tree, last));
}

/* "main > train > step", for callers "step < train < main"; in memory of the table. */
static const char *joined_name(struct filling *filling, uint32_t node)
{
	const char *sign = filling->state->is_bottom_up ? " < " : " > ", *kept;
	char *text = NULL;
	size_t length;
	FILE *out;

	if (!filling->only[node])
		return tree_name(&filling->tree, node);
	out = open_memstream(&text, &length);
	if (!out)
		return tree_name(&filling->tree, node);
	node = report_trees_put_name(filling, node, out);
	while (node &&
	       (size_t)ftell(out) + strlen(tree_name(&filling->tree, node)) < JOINED_BYTES) {
		fputs(sign, out);
		node = report_trees_put_name(filling, node, out);
	}
	if (node)
		put_rest(filling, node, out);
	fclose(out);
	kept = text_store_put(&filling->table->texts, text, length);
	free(text);
	return kept;
}

/*
 * What the functions of a row allocated themselves: of joined functions only the last one can have
 * a value.
 */
static uint64_t row_self(const struct filling *filling, uint32_t node)
{
	while (filling->only[node])
		node = filling->only[node];
	return filling->tree.node[node].self;
}

static void report_trees_put_share(struct table *table, enum column_id column, uint64_t part,
				   uint64_t all)
{
	if (all)
		table_set_real(table, column, 100.0 * (double)part / (double)all);
}

static void report_trees_put_node(struct filling *filling, uint32_t number)
{
	const struct tree_columns *column = &columns_of_kind[filling->state->is_bottom_up];
	const struct tree_node *node = &filling->tree.node[number];
	enum unit unit = stack_report_unit(&filling->state->stacks);
	uint64_t all = filling->tree.node[TREE_ROOT].total, self = row_self(filling, number);
	const char *name = joined_name(filling, number);
	struct table *table = filling->table;
	size_t row = table_add_row(table);
	uint32_t parent = node->parent;

	filling->row[number] = (uint32_t)row + 1;
	while (filling->is_joined[parent])
		parent = filling->tree.node[parent].parent;
	if (parent != TREE_ROOT && filling->row[parent]) {
		table->parent[row] = filling->row[parent] - 1;
		filling->level[number] = filling->level[parent] + 1;
	}
	table_set_text(table, column->function, name, strlen(name));
	table_set_number(table, column->depth, filling->level[number]);
	table_set_amount(table, column->total, node->total, unit);
	report_trees_put_share(table, column->percent, node->total, all);
	if (column->self == COLUMN_ID_LIMIT)
		return;
	table_set_amount(table, column->self, self, unit);
	report_trees_put_share(table, column->self_percent, self, all);
}

static bool report_trees_is_small(const struct filling *filling, uint32_t node)
{
	return filling->for_people &&
	       (double)filling->tree.node[node].total <
		       SHARE_MIN * (double)filling->tree.node[TREE_ROOT].total;
}

static void report_trees_put_tree(struct filling *filling)
{
	uint32_t *order = stack_tree_order(&filling->tree);

	for (size_t i = 0; i + 1 < filling->tree.count; i++) {
		if (filling->is_joined[order[i]])
			continue;
		if (report_trees_is_small(filling, order[i]))
			filling->state->left_out++;
		else
			report_trees_put_node(filling, order[i]);
	}
	free(order);
}

static void fill_tree(struct report *report, struct table *table)
{
	const struct options *options = report->request->options;
	struct tree_state *state = report->state;
	struct filling filling = { .state = state, .table = table };

	filling.for_people = options->format == FORMAT_TABLE || options->format == FORMAT_MARKDOWN;
	if (options->limit == LIMIT_DEFAULT && filling.for_people)
		report->request->arrangement.limit = ROWS_SHOWN;
	stack_report_read(&state->stacks, report);
	stack_report_tree(&state->stacks, &filling.tree, state->is_bottom_up, TREE_BY_NAME);
	filling.only = memory_zero(filling.tree.count, sizeof(*filling.only));
	filling.is_joined = memory_zero(filling.tree.count, sizeof(*filling.is_joined));
	filling.row = memory_zero(filling.tree.count, sizeof(*filling.row));
	filling.level = memory_zero(filling.tree.count, sizeof(*filling.level));
	table->is_tree = true;
	find_joined(&filling);
	report_trees_put_tree(&filling);
	free(filling.only);
	free(filling.is_joined);
	free(filling.row);
	free(filling.level);
	stack_tree_release(&filling.tree);
}

static void tree_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;

	stack_report_head(&((const struct tree_state *)report->state)->stacks, screen);
}

static void tree_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct tree_state *state = report->state;

	if (state->left_out)
		screen_print_prose(screen, "%zu function%s of less than 0.5 %% %s left out",
				   state->left_out, unit_plural(state->left_out),
				   state->left_out == 1 ? "is" : "are");
	stack_rows_print_notes(&state->stacks.rows, screen);
}

static void tree_total(const struct report *report, struct facts *facts)
{
	stack_report_total(&((const struct tree_state *)report->state)->stacks, facts);
}

static const char *tree_explain(const struct report *report, struct why_empty *absence)
{
	return stack_report_explain(&((const struct tree_state *)report->state)->stacks, report,
				    absence);
}

static void release_tree(struct report *report)
{
	stack_report_release(&((struct tree_state *)report->state)->stacks);
}

#define TREE_KIND(name)                                   \
	const struct report_kind report_kind_##name = {   \
		.state_bytes = sizeof(struct tree_state), \
		.family = EVT_FAMILY_alloc,               \
		.want = want_##name,                      \
		.fill = fill_tree,                        \
		.total = tree_total,                      \
		.explain = tree_explain,                  \
		.head = tree_head,                        \
		.foot = tree_foot,                        \
		.release = release_tree,                  \
	}

TREE_KIND(top_down);
TREE_KIND(bottom_up);
