/* SPDX-License-Identifier: MIT */
/*
 * CUPTI's callbacks for a node that was created or cloned become gpu_captured events, with the
 * numbers of the node, of the node that it was copied from, and of its graph.
 */
#include "preload/gpu/gpu_graphs.h"

#include <errno.h>
#include <stddef.h>

#include "collector/format/events.h"
#include "preload/gpu/gpu_share.h"
#include "preload/record/recorder.h"

#define FIELDS(event) (sizeof(struct evt_##event) / sizeof(uint64_t))

static uint64_t node_number(void *node)
{
	uint64_t number = 0;

	if (!node || gpu_cupti.cuptiGetGraphNodeId(node, &number) != CUPTI_OK)
		return 0;
	return number;
}

static uint32_t graph_number(void *graph)
{
	uint32_t number = 0;

	if (!graph || !gpu_cupti.cuptiGetGraphId ||
	    gpu_cupti.cuptiGetGraphId(graph, &number) != CUPTI_OK)
		return 0;
	return number;
}

static void node_put(const struct cupti_graph_data *data, bool is_copy)
{
	const uint64_t field[] = { node_number(data->node),
				   is_copy ? node_number(data->original_node) : 0,
				   graph_number(data->graph), (uint32_t)data->kind };
	struct recorder_lane *lane = field[0] ? recorder_enter(RECORDER_LATE, RECORDER_IN_RECORD)
					      : NULL;

	_Static_assert(sizeof(field) == sizeof(struct evt_gpu_captured), "all fields");
	if (!lane)
		return;
	(void)recorder_put(lane, EVT_gpu_captured, recorder_now(), field, FIELDS(gpu_captured));
	recorder_leave(lane);
}

void gpu_graphs_take(uint32_t id, const void *about)
{
	const struct cupti_resource *resource = about;
	int saved = errno;

	if (resource->about && (id == CUPTI_NODE_CREATED || id == CUPTI_NODE_CLONED))
		node_put(resource->about, id == CUPTI_NODE_CLONED);
	errno = saved;
}
