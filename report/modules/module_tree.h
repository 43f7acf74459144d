/* SPDX-License-Identifier: MIT */
/*
 * Modules of PyTorch as a tree, and what was done in each of them: in its own calls, in backward
 * functions of its operators, and in calls that were repeated during backward (checkpointing).
 *
 * A row is a module at its path of modules. Amounts belong to the innermost module only, so those
 * of all rows add up to the whole. What a module has with the modules within is the sum over its
 * part of the tree (module_tree_add_up()). Names are indices that the caller assigns. Memory grows
 * with rows, and with backward passes times rows that had something in them.
 */
#ifndef REPORT_MODULES_MODULE_TREE_H
#define REPORT_MODULES_MODULE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/map.h"
#include "report/base/timing.h"
#include "report/core/work.h"

#define MODULE_NONE UINT32_MAX

enum module_phase { MODULE_FORWARD, MODULE_BACKWARD, MODULE_RECOMPUTED, MODULE_PHASES };

/* What a backward pass had for a module: the most of all passes. */
enum module_kept { MODULE_ACTIVATIONS, MODULE_GRADIENTS, MODULE_KEPT };

struct module_amounts {
	uint64_t ns, gpu_ns, gpu_ops, flops;
	uint64_t kept_bytes[MODULE_KEPT]; /* of sums only */
	uint64_t flops_unknown;           /* operators that have FLOPs, but how many is not known */
	struct work work;
};

struct module_row {
	uint32_t parent, name; /* parent: MODULE_NONE at the top */
	uint32_t depth;
	uint64_t calls, recomputed_calls, backward_functions;
	uint64_t compiled_calls; /* of code that torch.compile has made of it */
	uint64_t open;           /* calls that the program did not end */
	struct timing time;      /* of calls of the forward pass */
	struct module_amounts own[MODULE_PHASES];
	/* in modules within whose calls do not count, because the filters leave them out */
	struct module_amounts within[MODULE_PHASES];
	uint64_t kept_bytes[MODULE_KEPT]; /* of its own */
};

struct module_tree {
	struct module_row *row;
	size_t count, room;
	struct map rows;   /* parent and name to row */
	struct map kept;   /* row, kind, process and backward pass to bytes */
	struct map latest; /* name + 1 to the row that was entered last under that name */
};

void module_tree_init(struct module_tree *tree);
void module_tree_release(struct module_tree *tree);

/* The row of that name below `parent`, which may be MODULE_NONE. */
uint32_t module_tree_enter(struct module_tree *tree, uint32_t parent, uint32_t name);
/*
 * For a module that is called without the modules around it, as checkpointing does: the row under
 * which it was entered last, or one at the top.
 */
uint32_t module_tree_enter_alone(struct module_tree *tree, uint32_t name);

/* Adds bytes that the backward pass of the process had for the row. */
void module_tree_keep(struct module_tree *tree, uint32_t row, enum module_kept kind, uint64_t pass,
		      uint64_t bytes);

void module_amounts_add(struct module_amounts *into, const struct module_amounts *more);
struct module_amounts module_row_self(const struct module_row *row);

/*
 * Which rows are one, for a list by name: [i] is the first row with the name of row i. To be freed.
 */
uint32_t *module_tree_join(const struct module_tree *tree);
/*
 * What each row has with all rows below it, MODULE_PHASES entries a row. With `joined` (see above),
 * rows of one name have one sum, in the first of them, and a module that calls itself counts once.
 * To be freed.
 */
struct module_amounts *module_tree_add_up(const struct module_tree *tree, const uint32_t *joined);

#endif
