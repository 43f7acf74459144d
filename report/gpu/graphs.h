/* SPDX-License-Identifier: MIT */
/*
 * CUDA graphs that were launched: how often, what their nodes took on the GPU, and how much of the time between the first node
 * of a launch and its last nothing of the graph ran. Work is a graph's where its call launches one (cudaGraphLaunch); the
 * filters look at that call. Nodes also count by what they are and by the context of their capture (graph_nodes.h).
 *
 * Memory grows with graphs, nodes, and the work of launches whose work may still come. One thread.
 */
#ifndef REPORT_GPU_GRAPHS_H
#define REPORT_GPU_GRAPHS_H

#include "report/gpu/graph_nodes.h"

/* The words of keys of work. */
enum {
	GRAPH_WORD_PLACE, /* of the first key */
	GRAPH_WORD_WHAT, /* kernel: its name's index; copy: kind, or GPU_KIND_SET; by node and by name */
	GRAPH_WORD_KIND,  /* enum gpu_work_kind, where there is that */
	GRAPH_WORD_NODE,  /* and the next, by node */
	GRAPH_WORD_GRAPH, /* process and number of the graph, the first above */
};

enum graph_form { GRAPHS_BY_GRAPH, GRAPHS_BY_NODE, GRAPHS_BY_NAME, GRAPHS_BY_KEY };

struct graph_row {
	uint32_t process, number; /* CUPTI's; 0: not known, no work of it was told */
	uint64_t launches, without_work, nodes, calls;
	uint64_t total_ns, span_ns, gap_ns, host_ns;
	bool is_whole; /* of launches that were told as one piece, whose gaps are not known */
};

struct graphs {
	struct graph_nodes nodes; /* first, see graph_nodes_of() */
	enum graph_form form;
	struct graph_row *row;
	size_t row_count, row_room;
	struct groups work; /* of other forms than GRAPHS_BY_GRAPH */
	struct deferred *deferred;
};

struct graphs_options {
	enum key_id by;
};
ANALYSIS(graphs, struct graphs)

#endif
