/* SPDX-License-Identifier: MIT */
/*
 * Streams, events and graphs. Work is done at once, so nothing ever has to be waited for.
 */
#include "tests/fake/device.h"

#include <stdlib.h>

/* The default streams are small numbers. */
static bool stream_is_real(CUstream stream)
{
	return (uintptr_t)stream > 2;
}

int fake_object_create(void **ret_object)
{
	*ret_object = calloc(1, 64);
	return *ret_object ? 0 : FAKE_OUT_OF_MEMORY;
}

int fake_object_free(void *object)
{
	free(object);
	return object ? 0 : FAKE_BAD_HANDLE;
}

int fake_stream_create(CUstream *ret_stream, int priority)
{
	static _Atomic uint32_t
		ids = 12; /* CUPTI's numbers; those below are the default streams' */

	if (!ret_stream)
		return FAKE_INVALID_VALUE;
	*ret_stream = calloc(1, sizeof(**ret_stream));
	if (!*ret_stream)
		return FAKE_OUT_OF_MEMORY;
	(*ret_stream)->priority = priority;
	(*ret_stream)->id = atomic_fetch_add(&ids, 1) + 1;
	return 0;
}

int fake_stream_destroy(CUstream stream)
{
	if (!stream_is_real(stream))
		return FAKE_BAD_HANDLE;
	free(stream);
	return 0;
}

CUgraph fake_stream_graph(CUstream stream)
{
	return stream_is_real(stream) ? atomic_load(&stream->capturing) : NULL;
}

static void graph_number(CUgraph graph)
{
	static _Atomic uint32_t ids;

	graph->id = atomic_fetch_add(&ids, 1) + 1;
}

int fake_graph_create(CUgraph *ret_graph)
{
	*ret_graph = calloc(1, sizeof(**ret_graph));
	if (!*ret_graph)
		return FAKE_OUT_OF_MEMORY;
	graph_number(*ret_graph);
	return 0;
}

/* The upper half is the graph's, as CUPTI has it. */
uint64_t fake_node_number(CUgraph graph)
{
	return (uint64_t)graph->id << 32 | atomic_load(&graph->nodes);
}

int fake_capture_begin(CUstream stream, CUgraph graph)
{
	if (!stream_is_real(stream) || fake_stream_graph(stream))
		return FAKE_NO_CAPTURE;
	if (!graph && fake_graph_create(&graph))
		return FAKE_OUT_OF_MEMORY;
	atomic_store(&stream->capturing, graph);
	return 0;
}

int fake_capture_end(CUstream stream, CUgraph *ret_graph)
{
	CUgraph graph = fake_stream_graph(stream);

	if (!graph)
		return FAKE_NO_CAPTURE;
	atomic_store(&stream->capturing, NULL);
	*ret_graph = graph;
	return 0;
}

int fake_event_record(CUevent event, CUstream stream)
{
	if (!event)
		return FAKE_BAD_HANDLE;
	event->time_ns = fake_now();
	fake_device_record(event, stream);
	return 0;
}

int fake_event_elapsed(float *ret_ms, CUevent start, CUevent end)
{
	if (!ret_ms || !start || !end)
		return FAKE_BAD_HANDLE;
	*ret_ms = (float)(int64_t)(end->time_ns - start->time_ns) / 1e6f;
	return 0;
}

/* The first captured comes first. */
static struct fake_node *nodes_copy(const struct fake_node *node, CUgraph graph)
{
	struct fake_node *copy;

	if (!node)
		return NULL;
	copy = calloc(1, sizeof(*copy));
	if (!copy)
		abort();
	*copy = *node;
	copy->next = nodes_copy(node->next, graph);
	copy->id = fake_node_number(graph);
	atomic_fetch_add(&graph->nodes, 1);
	fake_device_node(graph, copy, node);
	return copy;
}

int fake_graph_instantiate(CUgraphExec *ret_exec, CUgraph graph)
{
	CUgraphExec exec = graph ? calloc(1, sizeof(*exec)) : NULL;

	if (!exec)
		return FAKE_INVALID_VALUE;
	graph_number(&exec->copy);
	exec->id = exec->copy.id;
	exec->last = nodes_copy(graph->last, &exec->copy);
	*ret_exec = exec;
	return 0;
}

#define NODES_MAX 256u

static unsigned int nodes_collect(const struct fake_node *node, CUgraphExec exec,
				  struct fake_work *work, unsigned int room)
{
	unsigned int count = node ? nodes_collect(node->next, exec, work, room) : 0;

	if (!node || count == room)
		return count;
	work[count] = (struct fake_work){ .kind = FAKE_KERNEL,
					  .graph = exec->id,
					  .graph_node = node->id,
					  .name = node->kernel,
					  .grid = node->grid,
					  .block = node->block,
					  .shared_bytes = node->shared_bytes };
	return count + 1;
}

int fake_graph_launch(CUgraphExec exec, CUstream stream)
{
	const struct fake_tool *tool = atomic_load(&fake_tool);
	struct fake_work work[NODES_MAX];
	unsigned int count;

	if (!exec)
		return FAKE_INVALID_VALUE;
	count = nodes_collect(exec->last, exec, work, NODES_MAX);
	if (count && tool && tool->has_whole_graphs()) {
		fake_device_graph(work, count, stream);
		return 0;
	}
	for (unsigned int i = 0; i < count; i++)
		fake_device_submit(&work[i], stream);
	return 0;
}
