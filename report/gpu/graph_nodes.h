/* SPDX-License-Identifier: MIT */
/*
 * Nodes of CUDA graphs and where they were captured. A node is made within a call: a launch that is
 * captured, or a call that adds the node. The place of that call is the node's context. Making the
 * graph executable copies its nodes. The copies are what runs, and their context is that of the
 * original node.
 *
 * Memory grows with nodes. To be used by one thread.
 */
#ifndef REPORT_GPU_GRAPH_NODES_H
#define REPORT_GPU_GRAPH_NODES_H

#include "report/base/map.h"
#include "report/core/key.h"

#define GRAPH_KEYS 3u /* contexts that a node may have */

struct graph_node {
	/* of: index + 1 of the node of which it is a copy; 0: it is no copy */
	uint32_t process, of;
	uint64_t place[GRAPH_KEYS]; /* of the keys */
};

struct graph_nodes {
	struct run_key key[GRAPH_KEYS]; /* all zeros: none is wanted */
	bool is_stack[GRAPH_KEYS];      /* the event of the node does not have it; the call does */
	struct graph_node *node;
	struct map numbers;      /* (process, CUPTI's number) to node + 1 */
	struct pending *pending; /* by thread: nodes whose call has not returned */
	size_t count, room, pending_room;
};

void graph_nodes_init(struct graph_nodes *nodes);
void graph_nodes_release(struct graph_nodes *nodes);
/*
 * For start() of the analysis with that state: reads the events that are needed. The keys must be
 * set.
 */
void graph_nodes_read(struct graph_nodes *nodes, struct run *run, void *state);
/* The context of a node that ran, by one of the keys; 0: not known. */
uint64_t graph_nodes_place(const struct graph_nodes *nodes, uint32_t process, uint64_t number,
			   unsigned int key);

/* For an analysis whose state begins with this structure. */
static inline struct graph_nodes *graph_nodes_of(void *state)
{
	return state;
}

#endif
