/* SPDX-License-Identifier: MIT */
/*
 * Stacks as a tree: from the outermost inwards (top-down), or from the innermost outwards (bottom-up). What counts as the same
 * below one place is one node: see enum tree_identity. Values of a node contain those of its children.
 *
 * No recursion. A bottom-up tree has TREE_CALLERS_MAX levels: what is further out is counted in the last one.
 */
#ifndef REPORT_STACKS_STACK_TREE_H
#define REPORT_STACKS_STACK_TREE_H

#include "report/stacks/named_stacks.h"

#define TREE_ROOT 0u
#define TREE_CALLERS_MAX 64u

enum tree_identity {
	TREE_BY_NAME,  /* functions of one name are one, whatever file and line they are on */
	TREE_BY_FILE,  /* those of one name and file */
	TREE_BY_FRAME, /* each place in the code is another */
};

struct tree_node {
	uint32_t parent; /* smaller than its own number */
	uint32_t depth;  /* of the root 0 */
	uint32_t frame;  /* of the named stacks: the first one of those that the node is */
	uint64_t self, total;
};

struct stack_tree {
	const struct named_stacks *names; /* whose frame 0 is none */
	bool is_bottom_up;
	enum tree_identity identity; /* to be set before the first stack; by name if it is not */
	struct tree_node *node;      /* [0] is the root: all */
	size_t count, room;
	struct node_table children; /* parent and name: the nodes' own numbers */
	struct map names_seen;      /* hash of a name, and file, to the first frame that has it */
	uint32_t *name;             /* by frame: that one; 0: not yet */
	size_t name_room;
	uint32_t *known; /* top-down: node of a named stack; 0: not yet */
	size_t known_room;
	uint32_t *path;
	size_t path_room;
};

void stack_tree_init(struct stack_tree *tree, const struct named_stacks *names, bool is_bottom_up);
void stack_tree_release(struct stack_tree *tree);

void stack_tree_add(struct stack_tree *tree, uint32_t stack, uint64_t weight);
/* After the last one: totals are right from here on. */
void stack_tree_settle(struct stack_tree *tree);

static inline const char *tree_name(const struct stack_tree *tree, uint32_t node)
{
	return node == TREE_ROOT
		       ? "all"
		       : named_shown(tree->names, &tree->names->frame[tree->node[node].frame]);
}

/* All nodes but the root, each after its parent and before its next sibling; siblings by name. Owned by the caller. */
uint32_t *stack_tree_order(const struct stack_tree *tree);

#endif
