/* SPDX-License-Identifier: MIT */
/*
 * Launches of CUDA graphs: how many, the GPU time of their nodes, and the time between the first
 * and the last node of a launch in which no node of the graph ran. Work belongs to a graph if its
 * call launches one (cudaGraphLaunch); the filters apply to that call. Nodes are also counted by
 * what they are and by the context of their capture (graph_nodes.h).
 *
 * Memory grows with graphs, with nodes, and with the work of launches whose work may still come. To
 * be used by one thread.
 */
#ifndef REPORT_GPU_GRAPHS_H
#define REPORT_GPU_GRAPHS_H

#include "report/gpu/graph_nodes.h"

/* The words of the keys of work. */
enum {
	GRAPH_WORD_PLACE, /* of the first key */
	/*
	 * for a kernel the index of its name; for a copy its kind, or GPU_KIND_SET; by node and by
	 * name
	 */
	GRAPH_WORD_WHAT,
	GRAPH_WORD_KIND,  /* enum gpu_work_kind, for the same */
	GRAPH_WORD_NODE,  /* this word and the next, by node */
	GRAPH_WORD_GRAPH, /* process and number of the graph, the process in the upper half */
};

enum graph_form { GRAPHS_BY_GRAPH, GRAPHS_BY_NODE, GRAPHS_BY_NAME, GRAPHS_BY_KEY };

struct graph_row {
	/* CUPTI's number; 0: not known, because none of its work was reported */
	uint32_t process, number;
	uint64_t launches, without_work, nodes, calls;
	uint64_t total_ns, span_ns, gap_ns, host_ns;
	bool is_whole; /* of launches that were reported as one piece, whose gaps are not known */
};

struct graphs {
	struct graph_nodes nodes; /* must be first, see graph_nodes_of() */
	enum graph_form form;
	struct graph_row *row;
	size_t row_count, row_room;
	struct groups work; /* for all forms but GRAPHS_BY_GRAPH */
	struct deferred *deferred;
};

struct graphs_options {
	enum key_id by;
};
ANALYSIS(graphs, struct graphs)

#endif
