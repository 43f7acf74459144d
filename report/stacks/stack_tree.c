/* SPDX-License-Identifier: MIT */
/*
 * Stacks as a tree of functions. A node is a parent and a name; equal frames are represented by the
 * first of them.
 */
#include "report/stacks/stack_tree.h"

#include <stdlib.h>
#include <string.h>

#include "report/stacks/tree_order.h"

void stack_tree_init(struct stack_tree *tree, const struct named_stacks *names, bool is_bottom_up)
{
	*tree = (struct stack_tree){ .names = names, .is_bottom_up = is_bottom_up, .count = 1 };
	node_table_init(&tree->children);
	map_init(&tree->names_seen);
	tree->node = memory_room(NULL, 0, &tree->room, sizeof(*tree->node));
}

void stack_tree_release(struct stack_tree *tree)
{
	node_table_release(&tree->children);
	map_release(&tree->names_seen);
	free(tree->name);
	free(tree->node);
	free(tree->known);
	free(tree->path);
}

static uint64_t hash_identity(const struct stack_tree *tree, const struct named_frame *frame)
{
	uint64_t seed = 0;

	if (tree->identity == TREE_BY_FILE && frame->file)
		seed = map_hash_bytes(frame->file, strlen(frame->file), 1);
	return seed ^ named_function(frame);
}

/* Returns the first of the frames that count as one. */
static uint32_t stack_tree_name_of(struct stack_tree *tree, uint32_t frame)
{
	struct map_entry *entry;
	bool added;

	tree->name = memory_room(tree->name, frame, &tree->name_room, sizeof(*tree->name));
	if (tree->name[frame])
		return tree->name[frame];
	if (tree->identity == TREE_BY_FRAME)
		return tree->name[frame] = frame;
	entry = map_put(&tree->names_seen, hash_identity(tree, &tree->names->frame[frame]), &added);
	if (added)
		entry->value = frame;
	return tree->name[frame] = (uint32_t)entry->value;
}

static uint32_t child_of(struct stack_tree *tree, uint32_t parent, uint32_t frame)
{
	uint32_t child = node_table_put(&tree->children, parent, stack_tree_name_of(tree, frame));

	if (child < tree->count)
		return child;
	tree->node = memory_room(tree->node, child, &tree->room, sizeof(*tree->node));
	tree->node[child] = (struct tree_node){ .parent = parent,
						.depth = tree->node[parent].depth + 1,
						.frame = frame };
	tree->count = child + 1u;
	return child;
}

static uint32_t from_innermost(struct stack_tree *tree, uint32_t stack)
{
	uint32_t node = TREE_ROOT;

	for (; stack != NAMED_NONE && tree->node[node].depth < TREE_CALLERS_MAX;
	     stack = named_parent(tree->names, stack))
		node = child_of(tree, node, tree->names->nodes.node[stack].frame);
	return node;
}

/* Stacks that share their outer frames share the path to them. */
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

/* --- order --- */

static int compare_frames(const void *left, const void *right, void *context)
{
	const struct named_frame *frame = context;

	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int order = strcmp(frame[a].name, frame[b].name);

	return order ? order : (a > b) - (a < b);
}

/*
 * By frame, for those that represent a name: its rank among all names, from 0. The caller owns the
 * result.
 */
static uint32_t *rank_names(const struct stack_tree *tree, uint32_t *ret_count)
{
	uint32_t *rank = memory_zero(tree->name_room + 1, sizeof(*rank)), count = 0;
	uint32_t *sorted = memory_zero(tree->name_room + 1, sizeof(*sorted));

	for (uint32_t i = 0; i < tree->name_room; i++)
		if (i && tree->name[i] == i)
			sorted[count++] = i;
	qsort_r(sorted, count, sizeof(*sorted), compare_frames, tree->names->frame);
	for (uint32_t i = 0; i < count; i++)
		rank[sorted[i]] = i;
	free(sorted);
	*ret_count = count;
	return rank;
}

/* Nodes by name, backwards (tree_order.h). There are few names and many nodes. */
static void sort_by_name(const struct stack_tree *tree, uint32_t *ret_sorted)
{
	uint32_t names, *rank = rank_names(tree, &names);
	size_t *end = memory_zero(names + 1,
				  sizeof(*end)); /* nodes of a name and of all later names */

	for (uint32_t i = 1; i < tree->count; i++)
		end[rank[tree->name[tree->node[i].frame]]]++;
	for (uint32_t i = names; i-- > 0;)
		end[i] += end[i + 1];
	for (uint32_t i = 1; i < tree->count; i++)
		ret_sorted[--end[rank[tree->name[tree->node[i].frame]]]] = i;
	free(rank);
	free(end);
}

uint32_t *stack_tree_order(const struct stack_tree *tree)
{
	uint32_t *order = memory_zero(tree->count + 1, sizeof(*order));

	sort_by_name(tree, order);
	tree_order(order, tree->count, &tree->node->parent, sizeof(*tree->node));
	return order;
}
