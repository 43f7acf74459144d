/* SPDX-License-Identifier: MIT */
/*
 * Nodes of CUDA graphs and where they were captured. A node is made within a call (a launch that is captured, or one that adds
 * the node), and what that call was in is its context; making the graph executable copies nodes, and what runs are copies,
 * whose context is that of the node that they were copied from.
 *
 * Memory grows with nodes. One thread.
 */
#ifndef REPORT_GPU_GRAPH_NODES_H
#define REPORT_GPU_GRAPH_NODES_H

#include "report/base/map.h"
#include "report/core/key.h"

#define GRAPH_KEYS 3u /* contexts of a node */

struct graph_node {
	uint32_t process, of;       /* of: the node that it is a copy of + 1; 0: none */
	uint64_t place[GRAPH_KEYS]; /* of the keys */
};

struct graph_nodes {
	struct run_key key[GRAPH_KEYS]; /* all zeros: none is asked for */
	bool is_stack[GRAPH_KEYS];      /* only the call has it, not the event of the node */
	struct graph_node *node;
	struct map numbers;      /* (process, CUPTI's number) to node + 1 */
	struct pending *pending; /* by thread: nodes whose call has not returned */
	size_t count, room, pending_room;
};

void graph_nodes_init(struct graph_nodes *nodes);
void graph_nodes_release(struct graph_nodes *nodes);
/* For start() of the analysis with that state: what is to be read. Keys are set. */
void graph_nodes_read(struct graph_nodes *nodes, struct run *run, void *state);
/* The context of a node that has run by one of the keys; 0 where it is not known. */
uint64_t graph_nodes_place(const struct graph_nodes *nodes, uint32_t process, uint64_t number,
			   unsigned int key);

/* The analysis whose state begins with this. */
static inline struct graph_nodes *graph_nodes_of(void *state)
{
	return state;
}

#endif
