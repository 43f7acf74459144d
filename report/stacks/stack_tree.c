/* SPDX-License-Identifier: MIT */
/* Stacks as a tree of functions: see stack_tree.h. */
#include "report/stacks/stack_tree.h"

#include <stdlib.h>
#include <string.h>

void stack_tree_init(struct stack_tree *tree, const struct named_stacks *names, bool is_bottom_up)
{
	*tree = (struct stack_tree){ .names = names, .is_bottom_up = is_bottom_up, .count = 1 };
	map_init(&tree->children);
	tree->node = memory_room(NULL, 0, &tree->room, sizeof(*tree->node));
}

void stack_tree_release(struct stack_tree *tree)
{
	map_release(&tree->children);
	free(tree->node);
	free(tree->known);
	free(tree->path);
}

static uint32_t child_of(struct stack_tree *tree, uint32_t parent, uint32_t frame)
{
	const char *name = tree->names->frame[frame].name;
	bool added;
	struct map_entry *entry = map_put(
		&tree->children, map_hash_bytes(name, strlen(name), parent + 1ull), &added);

	if (!added)
		return (uint32_t)entry->value;
	tree->node = memory_room(tree->node, tree->count, &tree->room, sizeof(*tree->node));
	tree->node[tree->count] = (struct tree_node){ .parent = parent,
						      .depth = tree->node[parent].depth + 1,
						      .frame = frame };
	entry->value = tree->count;
	return (uint32_t)tree->count++;
}

static uint32_t from_innermost(struct stack_tree *tree, uint32_t stack)
{
	uint32_t node = TREE_ROOT;

	for (; stack != NAMED_NONE && tree->node[node].depth < TREE_CALLERS_MAX;
	     stack = named_parent(tree->names, stack))
		node = child_of(tree, node, tree->names->nodes.node[stack].frame);
	return node;
}

/* Stacks that share their outer frames share the way there. */
static uint32_t from_outermost(struct stack_tree *tree, uint32_t stack)
{
	size_t length = 0;
	uint32_t node = TREE_ROOT;

	for (; stack != NAMED_NONE; stack = named_parent(tree->names, stack)) {
		tree->known = memory_room(tree->known, stack, &tree->known_room,
					  sizeof(*tree->known));
		if (tree->known[stack]) {
			node = tree->known[stack];
			break;
		}
		tree->path = memory_room(tree->path, length, &tree->path_room, sizeof(*tree->path));
		tree->path[length++] = stack;
	}
	while (length) {
		uint32_t at = tree->path[--length];

		node = child_of(tree, node, tree->names->nodes.node[at].frame);
		tree->known[at] = node;
	}
	return node;
}

void stack_tree_add(struct stack_tree *tree, uint32_t stack, uint64_t weight)
{
	uint32_t node = tree->is_bottom_up ? from_innermost(tree, stack)
					   : from_outermost(tree, stack);

	tree->node[node].self += weight;
}

void stack_tree_settle(struct stack_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		tree->node[i].total = tree->node[i].self;
	for (size_t i = tree->count - 1; i > TREE_ROOT; i--)
		tree->node[tree->node[i].parent].total += tree->node[i].total;
}

struct order_context {
	const struct stack_tree *tree;
};

/* Backwards: lists are built from their end. */
static int compare_names(const void *left, const void *right, void *context)
{
	const struct stack_tree *tree = ((const struct order_context *)context)->tree;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int order = strcmp(tree_name(tree, b), tree_name(tree, a));

	return order ? order : (a < b) - (a > b);
}

uint32_t *stack_tree_order(const struct stack_tree *tree)
{
	struct order_context context = { tree };
	uint32_t *sorted = memory_zero(tree->count + 1, sizeof(*sorted)),
		 *first = memory_zero(tree->count + 1, sizeof(*first)),
		 *next = memory_zero(tree->count + 1, sizeof(*next)), at = TREE_ROOT;
	size_t count = 0;

	for (uint32_t i = 1; i < tree->count; i++)
		sorted[i - 1] = i;
	qsort_r(sorted, tree->count - 1, sizeof(*sorted), compare_names, &context);
	for (size_t i = 0; i + 1 < tree->count; i++) {
		uint32_t parent = tree->node[sorted[i]].parent;

		next[sorted[i]] = first[parent];
		first[parent] = sorted[i];
	}
	while (count + 1 < tree->count) {
		if (first[at]) {
			at = first[at];
		} else {
			while (!next[at])
				at = tree->node[at].parent;
			at = next[at];
		}
		sorted[count++] = at;
	}
	free(first);
	free(next);
	return sorted;
}
