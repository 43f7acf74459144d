/* SPDX-License-Identifier: MIT */
/*
 * Nodes of CUDA graphs, when they are created: on the thread that captures or adds them, and within
 * the call of CUDA that does it. So a node has the range, the operator and the stack of that call.
 * When a graph is made executable, its nodes are copied; work of the graph has the number of the
 * copy.
 *
 * Callbacks of CUPTI, any thread. No lock. Nothing of ours is held while CUPTI is asked for the
 * numbers.
 */
#ifndef PRELOAD_GPU_GPU_GRAPHS_H
#define PRELOAD_GPU_GPU_GRAPHS_H

#include <stdint.h>

/* Takes a callback of CUPTI_RESOURCE; `about` is a struct cupti_resource. */
void gpu_graphs_take(uint32_t id, const void *about);

#endif
