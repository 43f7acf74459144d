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

int fake_capture_begin(CUstream stream, CUgraph graph)
{
	if (!stream_is_real(stream) || fake_stream_graph(stream))
		return FAKE_NO_CAPTURE;
	if (!graph)
		graph = calloc(1, sizeof(*graph));
	if (!graph)
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

int fake_event_record(CUevent event)
{
	if (!event)
		return FAKE_BAD_HANDLE;
	event->time_ns = fake_now();
	return 0;
}

int fake_event_elapsed(float *ret_ms, CUevent start, CUevent end)
{
	if (!ret_ms || !start || !end)
		return FAKE_BAD_HANDLE;
	*ret_ms = (float)(int64_t)(end->time_ns - start->time_ns) / 1e6f;
	return 0;
}

int fake_graph_instantiate(CUgraphExec *ret_exec, CUgraph graph)
{
	static _Atomic uint32_t ids;
	CUgraphExec exec = graph ? calloc(1, sizeof(*exec)) : NULL;

	if (!exec)
		return FAKE_INVALID_VALUE;
	exec->id = atomic_fetch_add(&ids, 1) + 1;
	exec->last = graph->last;
	*ret_exec = exec;
	return 0;
}

/* The first captured comes first. */
static void nodes_submit(const struct fake_node *node, CUgraphExec exec, CUstream stream,
			 uint32_t number)
{
	struct fake_work work = { .kind = FAKE_KERNEL, .graph = exec->id };

	if (!node)
		return;
	nodes_submit(node->next, exec, stream, number + 1);
	work.name = node->kernel;
	work.grid = node->grid;
	work.block = node->block;
	work.shared_bytes = node->shared_bytes;
	work.graph_node = (uint64_t)exec->id << 32 | number;
	fake_device_submit(&work, stream);
}

int fake_graph_launch(CUgraphExec exec, CUstream stream)
{
	if (!exec)
		return FAKE_INVALID_VALUE;
	nodes_submit(exec->last, exec, stream, 0);
	return 0;
}
