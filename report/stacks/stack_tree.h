/* SPDX-License-Identifier: MIT */
/*
 * Stacks as a tree: from the outermost frame inwards (top-down), or from the innermost outwards
 * (bottom-up). Equal frames below one place are one node: see enum tree_identity. A node's values
 * include those of its children.
 *
 * No recursion. A bottom-up tree has TREE_CALLERS_MAX levels; frames further out are counted in the
 * last one.
 */
#ifndef REPORT_STACKS_STACK_TREE_H
#define REPORT_STACKS_STACK_TREE_H

#include "report/stacks/named_stacks.h"

#define TREE_ROOT 0u
#define TREE_CALLERS_MAX 64u

enum tree_identity {
	TREE_BY_NAME,  /* functions with one name are one, in whatever file and line */
	TREE_BY_FILE,  /* functions with one name and file are one */
	TREE_BY_FRAME, /* each place in the code is separate */
};

struct tree_node {
	uint32_t parent; /* smaller than its own number */
	uint32_t depth;  /* 0 for the root */
	uint32_t frame;  /* of the named stacks: the first frame that the node represents */
	uint64_t self, total;
};

struct stack_tree {
	const struct named_stacks *names; /* frame 0 of these is none */
	bool is_bottom_up;
	enum tree_identity identity; /* set it before the first stack; the default is by name */
	struct tree_node *node;      /* [0] is the root: the whole */
	size_t count, room;
	struct node_table children; /* key: parent and name; the numbers are the nodes' own */
	/* from the hash of a name (and file) to the first frame that has it */
	struct map names_seen;
	uint32_t *name; /* by frame: its representative; 0: not known yet */
	size_t name_room;
	uint32_t *known; /* top-down: node of a named stack; 0: not known yet */
	size_t known_room;
	uint32_t *path;
	size_t path_room;
};

void stack_tree_init(struct stack_tree *tree, const struct named_stacks *names, bool is_bottom_up);
void stack_tree_release(struct stack_tree *tree);

void stack_tree_add(struct stack_tree *tree, uint32_t stack, uint64_t weight);
/* Call after the last stack: totals are correct from here on. */
void stack_tree_settle(struct stack_tree *tree);

static inline const char *tree_name(const struct stack_tree *tree, uint32_t node)
{
	return node == TREE_ROOT
		       ? "all"
		       : named_shown(tree->names, &tree->names->frame[tree->node[node].frame]);
}

/*
 * All nodes but the root, each after its parent and before its next sibling; siblings by name. The
 * caller owns the result.
 */
uint32_t *stack_tree_order(const struct stack_tree *tree);

#endif
