/* SPDX-License-Identifier: MIT */
/*
 * Nodes of CUDA graphs, as they come to be: on the thread that captures or adds them, within the call of CUDA that does, so
 * that a node has the range, the operator and the stack of that call. Making a graph executable copies its nodes; work
 * of the graph has the number of the copy.
 *
 * Callbacks of CUPTI, any thread. No lock; CUPTI is asked for the numbers with nothing of ours held.
 */
#ifndef PRELOAD_GPU_GPU_GRAPHS_H
#define PRELOAD_GPU_GPU_GRAPHS_H

#include <stdint.h>

/* A callback of CUPTI_RESOURCE; `about` is a struct cupti_resource. */
void gpu_graphs_take(uint32_t id, const void *about);

#endif
