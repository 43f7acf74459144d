/* SPDX-License-Identifier: MIT */
/*
 * Red, and a +, is more; blue, and a -, is less. Strokes that rise or fall say the same on paper
 * and to people who do not tell these colours apart. A change that is noise, and none, is grey.
 */
#include "report/diff/diff_flame.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/json.h"
#include "report/stacks/flame_svg.h"
#include "report/stacks/stack_report.h"

#define LEVELS 4u /* shades of a colour */

static const double level_least[LEVELS] = { 0, 0.1, 0.33, 0.66 };

static const char diff_style[] =
	".d0{fill:#d9d9d9}.n0{fill:#ececec}\n"
	".p0{fill:url(#p0)}.p1{fill:url(#p1)}.p2{fill:url(#p2)}.p3{fill:url(#p3)}\n"
	".m0{fill:url(#m0)}.m1{fill:url(#m1)}.m2{fill:url(#m2)}.m3{fill:url(#m3)}\n";

static const char *const fills[2][LEVELS] = {
	{ "#fbe3de", "#f7c0b3", "#f09480", "#e8694f" },
	{ "#dfe8fb", "#b9cdf5", "#8dacec", "#6389e0" },
};

static void put_patterns(FILE *out)
{
	static const char *const strokes[2] = { "M0,8L8,0", "M0,0L8,8" };

	fputs("<defs>\n", out);
	for (unsigned int side = 0; side < 2; side++)
		for (unsigned int level = 0; level < LEVELS; level++)
			fprintf(out,
				"<pattern id=\"%c%u\" width=\"8\" height=\"8\" "
				"patternUnits=\"userSpaceOnUse\"><rect width=\"8\" height=\"8\" "
				"fill=\"%s\"/><path d=\"%s\" stroke=\"#000\" stroke-opacity=\".2\" "
				"stroke-width=\"%u\"/></pattern>\n",
				"pm"[side], level, fills[side][level], strokes[side], level + 1);
	fputs("</defs>\n", out);
}

/* --- the tree --- */

static void add_side(struct diff_flame *flame, const struct sides *sides, size_t run, size_t place)
{
	const struct side *side = &sides->side[run];
	const struct table *table = &side->batch.report[place]->job.table;
	int stack = columns_find(table->column, table->column_count, "stack", strlen("stack"));
	int value = columns_find(table->column, table->column_count, "value", strlen("value"));

	for (size_t row = 0; row < table->row_count && stack >= 0 && value >= 0; row++) {
		const struct cell *name = table_cell(table, row, (size_t)stack);

		diff_tree_add(&flame->tree, run, name->text, name->length,
			      (double)table_cell(table, row, (size_t)value)->number / side->steps);
	}
}

static const char *rounded(char text[UNIT_TEXT_BYTES], enum unit unit, double value)
{
	return unit_format_signed(text, unit, (int64_t)llround(value));
}

static void diff_flame_describe(struct diff_flame *flame, const struct sides *sides, size_t place)
{
	const struct batch_report *one = sides->side[0].batch.report[place];
	const struct stack_report *stacks = one->job.report.state;
	const struct diff_node *root = &flame->tree.node[DIFF_TREE_ROOT];
	char text[2][UNIT_TEXT_BYTES];
	const char *base[2] = { sides->side[0].name, sides_after(sides)->name };

	for (unsigned int i = 0; i < 2; i++)
		base[i] = strrchr(base[i], '/') ? strrchr(base[i], '/') + 1 : base[i];
	stack_report_describe(stacks, flame->title, sizeof(flame->title));
	if (strrchr(flame->title, ','))
		*strrchr(flame->title, ',') = '\0'; /* the sum of one run */
	if (sides->side[0].steps != 1 || sides_after(sides)->steps != 1)
		strncat(flame->title, ", per step",
			sizeof(flame->title) - strlen(flame->title) - 1);
	snprintf(flame->subtitle, sizeof(flame->subtitle),
		 "before: %s in %.100s (%zu run%s); after: %s in %.100s (%zu run%s)",
		 rounded(text[0], flame->unit, root->total[0]), base[0], sides->before,
		 unit_plural(sides->before), rounded(text[1], flame->unit, root->total[1]), base[1],
		 sides->count - sides->before, unit_plural(sides->count - sides->before));
}

void diff_flame_make(struct diff_flame *flame, const struct sides *sides, size_t place)
{
	const struct batch_report *one = sides->side[0].batch.report[place];

	*flame = (struct diff_flame){ .unit = stack_report_unit(one->job.report.state) };
	diff_tree_init(&flame->tree, sides->count, sides->before);
	for (size_t run = 0; run < sides->count; run++)
		add_side(flame, sides, run, place);
	diff_tree_settle(&flame->tree, flame->unit, sides_is_sampled(sides, place));
	flame->order = diff_tree_order(&flame->tree);
	diff_flame_describe(flame, sides, place);
}

void diff_flame_release(struct diff_flame *flame)
{
	diff_tree_release(&flame->tree);
	free(flame->order);
}

/* --- the picture --- */

static bool is_unsure(const struct diff_node *node)
{
	return node->verdict == VERDICT_NOISE || node->verdict == VERDICT_SLIGHT;
}

static const char *flame_mark_of(const struct diff_node *node)
{
	if (is_unsure(node))
		return "~ ";
	return node->total[1] > node->total[0]   ? "+ "
	       : node->total[1] < node->total[0] ? "- "
						 : "= ";
}

static void put_hue(const struct diff_node *node, char hue[4])
{
	double by = node->total[1] - node->total[0], most = fmax(node->total[0], node->total[1]);
	unsigned int level = LEVELS - 1;

	if (by == 0 || is_unsure(node)) {
		snprintf(hue, 4, by == 0 ? "d0" : "n0");
		return;
	}
	while (level && fabs(by) < level_least[level] * most)
		level--;
	snprintf(hue, 4, "%c%u", by > 0 ? 'p' : 'm', level & 3);
}

static void diff_flame_put_value(const struct diff_flame *flame, const struct diff_node *node,
				 char *value, size_t room)
{
	char text[3][UNIT_TEXT_BYTES], share[UNIT_TEXT_BYTES] = "";
	double by = node->total[1] - node->total[0];
	const char *verdict = verdict_names[node->verdict];

	if (node->total[0] > 0)
		snprintf(share, sizeof(share), ", %+.1f %%", 100 * by / node->total[0]);
	snprintf(value, room, "%s before, %s after, %s%s%s%s%s",
		 rounded(text[0], flame->unit, node->total[0]),
		 rounded(text[1], flame->unit, node->total[1]), by > 0 ? "+" : "",
		 rounded(text[2], flame->unit, by), share, verdict ? ", " : "",
		 verdict ? verdict : "");
}

struct diff_drawing {
	const struct diff_flame *flame;
	struct flame_svg svg;
	double *left, all;
};

static double diff_flame_sum(const struct diff_node *node)
{
	return node->total[0] + node->total[1];
}

static double diff_share(const struct diff_drawing *drawing, const struct diff_node *node)
{
	return drawing->all > 0 ? diff_flame_sum(node) / drawing->all : 1;
}

static void diff_flame_place(struct diff_drawing *drawing)
{
	const struct diff_tree *tree = &drawing->flame->tree;
	double *used = memory_zero(tree->count, sizeof(*used));

	for (size_t i = 0; i + 1 < tree->count; i++) {
		uint32_t number = drawing->flame->order[i];
		const struct diff_node *node = &tree->node[number];
		double share = diff_share(drawing, node);

		drawing->left[number] = drawing->left[node->parent] + used[node->parent];
		used[node->parent] += share;
		flame_svg_count(&drawing->svg, node->depth, share);
	}
	free(used);
}

static void diff_flame_put_box(const struct diff_drawing *drawing, uint32_t number)
{
	const struct diff_node *node = &drawing->flame->tree.node[number];
	char value[6 * UNIT_TEXT_BYTES], data[128], hue[4];
	struct flame_box box = { .left = drawing->left[number],
				 .share = diff_share(drawing, node),
				 .depth = node->depth,
				 .name = node->name,
				 .value = value,
				 .hue = hue,
				 .mark = flame_mark_of(node),
				 .data = data };

	if (!flame_svg_is_drawn(node->depth, box.share))
		return;
	diff_flame_put_value(drawing->flame, node, value, sizeof(value));
	put_hue(node, hue);
	snprintf(data, sizeof(data), " data-before=\"%.6f\" data-after=\"%.6f\"", node->total[0],
		 node->total[1]);
	flame_svg_put(&drawing->svg, &box);
}

void diff_flame_write_svg(const struct diff_flame *flame, FILE *out)
{
	const struct flame_text text = {
		.title = flame->title,
		.subtitle = flame->subtitle,
		.unit = flame->unit,
		.legend = "width: before and after together; red, /, + more after; blue, \\, - "
			  "less; = the same; ~ noise or less than 1 %",
		.style = diff_style,
	};
	struct diff_drawing drawing = { .flame = flame, .svg = { .out = out, .text = &text } };

	drawing.all = diff_flame_sum(&flame->tree.node[DIFF_TREE_ROOT]);
	drawing.left = memory_zero(flame->tree.count, sizeof(*drawing.left));
	diff_flame_place(&drawing);
	flame_svg_begin(&drawing.svg);
	put_patterns(out);
	diff_flame_put_box(&drawing, DIFF_TREE_ROOT);
	for (size_t i = 0; i + 1 < flame->tree.count; i++)
		diff_flame_put_box(&drawing, flame->order[i]);
	flame_svg_end(&drawing.svg);
	free(drawing.left);
}

/* --- as data --- */

static void put_amount(FILE *out, double value)
{
	if (value == floor(value))
		fprintf(out, " %.0f", value);
	else
		fprintf(out, " %.6f", value); /* a mean of several runs or steps */
}

void diff_flame_write_folded(const struct diff_flame *flame, FILE *out)
{
	const struct diff_tree *tree = &flame->tree;
	const char **path = memory_zero(tree->count + 1, sizeof(*path));

	for (size_t i = 0; i + 1 < tree->count; i++) {
		const struct diff_node *node = &tree->node[flame->order[i]];

		path[node->depth] = node->name;
		if (node->self[0] == 0 && node->self[1] == 0)
			continue;
		for (uint32_t depth = 1; depth <= node->depth; depth++)
			fprintf(out, "%s%s", depth > 1 ? ";" : "", path[depth]);
		put_amount(out, node->self[0]);
		put_amount(out, node->self[1]);
		putc('\n', out);
	}
	free(path);
}

static int compare_sums(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a < b) - (a > b);
}

/* A node is never smaller than what is below it, so every one that is kept has its parents. */
static double least_kept(const struct diff_tree *tree, size_t most)
{
	double *sum = memory_zero(tree->count + 1, sizeof(*sum)), least = 0;

	for (size_t i = 1; i < tree->count; i++)
		sum[i - 1] = diff_flame_sum(&tree->node[i]);
	qsort(sum, tree->count - 1, sizeof(*sum), compare_sums);
	if (tree->count - 1 > most)
		least = nextafter(sum[most], INFINITY);
	free(sum);
	return least;
}

static double of_before(const struct diff_node *node)
{
	return node->total[0];
}

static double of_after(const struct diff_node *node)
{
	return node->total[1];
}

static double of_depth(const struct diff_node *node)
{
	return node->depth;
}

static size_t put_list(struct json *json, const struct diff_flame *flame, double least,
		       const char *key, double (*of)(const struct diff_node *node))
{
	size_t count = 0;

	json_open(json, key, '[');
	for (size_t i = 0; i + 1 < flame->tree.count; i++) {
		const struct diff_node *node = &flame->tree.node[flame->order[i]];

		if (diff_flame_sum(node) < least)
			continue;
		json_number(json, NULL, (uint64_t)llround(of(node)));
		count++;
	}
	json_close(json, ']');
	return count;
}

/* Names are numbered in the order of their first use, and written afterwards. */
static void diff_flame_put_names(struct json *json, const struct diff_flame *flame, double least)
{
	const struct diff_tree *tree = &flame->tree;
	const char **names = memory_zero(tree->count + 1, sizeof(*names));
	size_t count = 0;
	struct map known;

	map_init(&known);
	json_open(json, "name", '[');
	for (size_t i = 0; i + 1 < tree->count; i++) {
		const struct diff_node *node = &tree->node[flame->order[i]];
		struct map_entry *entry;
		bool added;

		if (diff_flame_sum(node) < least)
			continue;
		entry = map_put(&known, map_hash_bytes(node->name, strlen(node->name), 0), &added);
		if (added) {
			entry->value = count;
			names[count++] = node->name;
		}
		json_number(json, NULL, entry->value);
	}
	json_close(json, ']');
	json_open(json, "names", '[');
	for (size_t i = 0; i < count; i++)
		json_string(json, NULL, names[i]);
	json_close(json, ']');
	map_release(&known);
	free(names);
}

static void put_verdicts(struct json *json, const struct diff_flame *flame, double least)
{
	const struct diff_tree *tree = &flame->tree;

	json_string(json, "verdict_of_all", verdict_names[tree->node[DIFF_TREE_ROOT].verdict]);
	json_open(json, "verdict", '[');
	for (size_t i = 0; i + 1 < tree->count; i++)
		if (diff_flame_sum(&tree->node[flame->order[i]]) >= least)
			json_string(json, NULL, verdict_names[tree->node[flame->order[i]].verdict]);
	json_close(json, ']');
}

size_t diff_flame_write_json(const struct diff_flame *flame, FILE *out, size_t most)
{
	const struct diff_node *root = &flame->tree.node[DIFF_TREE_ROOT];
	double least = least_kept(&flame->tree, most);
	struct json json = { .out = out };
	size_t count;

	json_open(&json, NULL, '{');
	json_string(&json, "title", flame->title);
	json_string(&json, "subtitle", flame->subtitle);
	json_string(&json, "unit", unit_name(flame->unit));
	json_number(&json, "all_before", (uint64_t)llround(root->total[0]));
	json_number(&json, "all_after", (uint64_t)llround(root->total[1]));
	put_list(&json, flame, least, "depth", of_depth);
	put_list(&json, flame, least, "before", of_before);
	count = put_list(&json, flame, least, "after", of_after);
	json_number(&json, "left_out", flame->tree.count - 1 - count);
	diff_flame_put_names(&json, flame, least);
	put_verdicts(&json, flame, least);
	json_close(&json, '}');
	return count;
}
