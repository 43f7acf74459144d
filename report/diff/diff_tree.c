/* SPDX-License-Identifier: MIT */
/* A node is a parent and a name. Parents are made before their children. */
#include "report/diff/diff_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/stacks/tree_order.h"

#define SPREAD_RUNS 4u /* with fewer runs, both sides together, there is no spread between them */

static uint32_t diff_tree_new(struct diff_tree *tree, uint32_t parent, const char *name,
			      size_t length)
{
	struct diff_node *node;

	tree->node = memory_room(tree->node, tree->count, &tree->room, sizeof(*tree->node));
	tree->run = memory_room(tree->run, (tree->count + 1) * tree->runs, &tree->run_room,
				sizeof(*tree->run));
	node = &tree->node[tree->count];
	*node = (struct diff_node){ .parent = parent,
				    .depth = tree->count ? tree->node[parent].depth + 1 : 0,
				    .name = text_store_put(&tree->texts, name, length),
				    .noise = NAN };
	return (uint32_t)tree->count++;
}

void diff_tree_init(struct diff_tree *tree, size_t runs, size_t before)
{
	*tree = (struct diff_tree){ .runs = runs, .before = before };
	map_init(&tree->children);
	diff_tree_new(tree, DIFF_TREE_ROOT, "all", strlen("all"));
}

void diff_tree_release(struct diff_tree *tree)
{
	map_release(&tree->children);
	text_store_release(&tree->texts);
	free(tree->node);
	free(tree->run);
}

static uint32_t diff_tree_child(struct diff_tree *tree, uint32_t parent, const char *name,
				size_t length)
{
	bool added;
	struct map_entry *entry = map_put(&tree->children, map_hash_bytes(name, length, parent + 1),
					  &added);

	if (added)
		entry->value = diff_tree_new(tree, parent, name, length);
	return (uint32_t)entry->value;
}

void diff_tree_add(struct diff_tree *tree, size_t run, const char *stack, size_t length,
		   double value)
{
	const char *end = stack + length;
	uint32_t node = DIFF_TREE_ROOT;

	while (stack < end) {
		const char *next = memchr(stack, ';', (size_t)(end - stack));

		next = next ? next : end;
		node = diff_tree_child(tree, node, stack, (size_t)(next - stack));
		stack = next + 1;
	}
	tree->run[node * tree->runs + run] += value;
}

static double *runs_of(const struct diff_tree *tree, size_t node)
{
	return &tree->run[node * tree->runs];
}

static void put_means(const struct diff_tree *tree, size_t node, double ret_mean[2])
{
	const double *value = runs_of(tree, node);
	size_t after = tree->runs - tree->before;

	ret_mean[0] = ret_mean[1] = 0;
	for (size_t i = 0; i < tree->runs; i++)
		ret_mean[i >= tree->before] += value[i];
	ret_mean[0] /= (double)tree->before;
	ret_mean[1] /= (double)after;
}

/* The spread between runs tells what is more than chance; of single runs there is none. */
static enum verdict verdict_of_new(const struct diff_tree *tree, const struct change *change,
				   enum verdict one_sided, bool is_sampled)
{
	if (!is_sampled)
		return one_sided;
	if (tree->runs < SPREAD_RUNS)
		return VERDICT_NONE;
	return change->verdict == VERDICT_NOISE || change->verdict == VERDICT_SAME ? change->verdict
										   : one_sided;
}

static void judge_node(const struct diff_tree *tree, size_t number, struct measured *measured,
		       enum unit unit, bool is_sampled)
{
	struct diff_node *node = &tree->node[number];
	const double *value = runs_of(tree, number);
	struct change change;

	for (size_t i = 0; i < tree->runs; i++)
		measured[i] = (struct measured){ .has = true, .value = value[i], .error = NAN };
	change = noise_judge(measured, tree->before, tree->runs - tree->before, unit);
	node->noise = change.noise;
	node->verdict = change.verdict;
	if (node->total[0] == 0 && node->total[1] > 0)
		node->verdict = verdict_of_new(tree, &change, VERDICT_NEW, is_sampled);
	else if (node->total[0] > 0 && node->total[1] == 0)
		node->verdict = verdict_of_new(tree, &change, VERDICT_GONE, is_sampled);
}

void diff_tree_settle(struct diff_tree *tree, enum unit unit, bool is_sampled)
{
	struct measured *measured = memory_zero(tree->runs, sizeof(*measured));

	for (size_t i = 0; i < tree->count; i++)
		put_means(tree, i, tree->node[i].self);
	for (size_t i = tree->count - 1; i > DIFF_TREE_ROOT; i--)
		for (size_t run = 0; run < tree->runs; run++)
			runs_of(tree, tree->node[i].parent)[run] += runs_of(tree, i)[run];
	for (size_t i = 0; i < tree->count; i++) {
		put_means(tree, i, tree->node[i].total);
		judge_node(tree, i, measured, unit, is_sampled);
	}
	free(measured);
}

/* Backwards (tree_order.h). */
static int compare_nodes(const void *left, const void *right, void *context)
{
	const struct diff_node *node = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int order = strcmp(node[b].name, node[a].name);

	return order ? order : (a < b) - (a > b);
}

uint32_t *diff_tree_order(const struct diff_tree *tree)
{
	uint32_t *order = memory_zero(tree->count + 1, sizeof(*order));

	for (uint32_t i = 1; i < tree->count; i++)
		order[i - 1] = i;
	qsort_r(order, tree->count - 1, sizeof(*order), compare_nodes, tree->node);
	tree_order(order, tree->count, &tree->node->parent, sizeof(*tree->node));
	return order;
}
