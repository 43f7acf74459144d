/* SPDX-License-Identifier: MIT */
/*
 * The stacks of several runs as one tree: each node has a value for each run. Values are of the
 * node itself until diff_tree_settle() has added up what is below it. Owns its names. One thread;
 * no recursion. Memory grows with distinct stacks times runs.
 */
#ifndef REPORT_DIFF_DIFF_TREE_H
#define REPORT_DIFF_DIFF_TREE_H

#include "report/base/map.h"
#include "report/base/memory.h"
#include "report/diff/noise.h"

#define DIFF_TREE_ROOT 0u

struct diff_node {
	uint32_t parent; /* smaller than its own number */
	uint32_t depth;  /* 0 for the root */
	const char *name;
	double self[2], total[2]; /* before and after: means of the runs */
	double noise;             /* as in struct change, of the totals */
	enum verdict verdict;
};

struct diff_tree {
	struct diff_node *node;
	size_t count, room;
	double *run; /* by node and run: its own value, after diff_tree_settle() its total */
	size_t run_room;
	size_t runs, before; /* number of all runs, and of those before */
	struct map children; /* by parent and name */
	struct text_store texts;
};

void diff_tree_init(struct diff_tree *tree, size_t runs, size_t before);
void diff_tree_release(struct diff_tree *tree);
/* `stack`: functions from the outermost to the innermost, with ; between. */
void diff_tree_add(struct diff_tree *tree, size_t run, const char *stack, size_t length,
		   double value);
/*
 * Call once, after the last stack: makes means and verdicts. A run in which a function does not
 * occur has 0 of it. `is_sampled`: a stack that single runs lack may have been missed by chance.
 */
void diff_tree_settle(struct diff_tree *tree, enum unit unit, bool is_sampled);

/*
 * All nodes but the root, each after its parent and before its next sibling; siblings by name. The
 * caller owns the result.
 */
uint32_t *diff_tree_order(const struct diff_tree *tree);

#endif
