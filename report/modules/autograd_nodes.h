/* SPDX-License-Identifier: MIT */
/*
 * Which module a forward operator ran in, until its backward function runs: by process, torch's
 * number of the thread and autograd's sequence number, which both have.
 *
 * A backward function may run more than once (retain_graph), so it removes nothing. Instead, only
 * the latest numbers are kept, between AUTOGRAD_NODES_MAX and twice as many: memory is bounded.
 */
#ifndef REPORT_MODULES_AUTOGRAD_NODES_H
#define REPORT_MODULES_AUTOGRAD_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "report/base/map.h"

#define AUTOGRAD_NODES_MAX (1u << 20)

struct autograd_nodes {
	struct map young, old;
	uint64_t forgotten; /* numbers that were dropped: their backward functions are not joined */
};

struct autograd_node {
	uint32_t process;
	uint64_t thread, sequence;
};

void autograd_nodes_init(struct autograd_nodes *nodes);
void autograd_nodes_release(struct autograd_nodes *nodes);

/* Operators within one another have one number: the last one counts, because it makes the node. */
void autograd_nodes_put(struct autograd_nodes *nodes, struct autograd_node node, uint32_t module);
/* Returns false if it is not known. */
bool autograd_nodes_find(const struct autograd_nodes *nodes, struct autograd_node node,
			 uint32_t *ret_module);

#endif
