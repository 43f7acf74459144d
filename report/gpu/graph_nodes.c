/* SPDX-License-Identifier: MIT */
/*
 * A map from process and CUPTI's number to the newest node with that number. Nodes made in a call
 * are kept until the call returns, since only its end has the stack. For copies of nodes, the
 * original is found.
 */
#include "report/gpu/graph_nodes.h"

#include <stdlib.h>

#include "report/base/memory.h"

#define COPIES_MAX 16u /* of copies of copies; a graph inside a graph is copied once more */

/* a call makes one node, or a few */
#define PENDING_MAX 8u
struct pending {
	uint32_t count;
	struct {
		uint32_t node;
		uint64_t time_ns;
	} made[PENDING_MAX];
};

void graph_nodes_init(struct graph_nodes *nodes)
{
	map_init(&nodes->numbers);
}

void graph_nodes_release(struct graph_nodes *nodes)
{
	map_release(&nodes->numbers);
	free(nodes->node);
	free(nodes->pending);
}

/*
 * Returns its index in `node`. A number identifies one node; if it comes again, it is a new node.
 */
static uint32_t graph_nodes_node_put(struct graph_nodes *nodes, uint32_t process, uint64_t number)
{
	bool added;
	struct map_entry *entry = map_put(&nodes->numbers,
					  map_key_of(&nodes->numbers, process, number), &added);

	nodes->node = memory_room(nodes->node, nodes->count, &nodes->room, sizeof(*nodes->node));
	nodes->node[nodes->count] = (struct graph_node){ .process = process };
	entry->value = ++nodes->count;
	return (uint32_t)entry->value - 1;
}

static uint32_t node_find(const struct graph_nodes *nodes, uint32_t process, uint64_t number)
{
	const struct map_entry *entry = map_find(&nodes->numbers,
						 map_key_of(&nodes->numbers, process, number));

	return entry ? (uint32_t)entry->value : 0;
}

static void node_take_context(struct graph_nodes *nodes, uint32_t node,
			      const struct source_event *event)
{
	for (unsigned int i = 0; i < GRAPH_KEYS; i++)
		if (event->event.id != EVT_gpu_captured || !nodes->is_stack[i])
			nodes->node[node].place[i] = key_of(&nodes->key[i], event);
}

static struct pending *pending_of(struct graph_nodes *nodes, const struct source_thread *thread)
{
	nodes->pending = memory_room(nodes->pending, thread->index, &nodes->pending_room,
				     sizeof(*nodes->pending));
	return &nodes->pending[thread->index];
}

static void graph_nodes_take_captured(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_captured *captured = EVENT_AS(gpu_captured, &event->event);
	struct graph_nodes *nodes = graph_nodes_of(state);
	uint32_t process = event->process->index;
	uint32_t of = captured->of ? node_find(nodes, process, captured->of) : 0;
	uint32_t node = graph_nodes_node_put(nodes, process, captured->node);
	struct pending *pending;

	(void)counts;
	nodes->node[node].of = of;
	if (captured->of)
		return;
	node_take_context(nodes, node, event);
	pending = pending_of(nodes, event->thread);
	if (pending->count == PENDING_MAX)
		return;
	pending->made[pending->count].node = node;
	pending->made[pending->count++].time_ns = event->event.time_ns;
}

/* A call has returned. Nodes that were made since it began belong to it, and it has the stack. */
static void call_returns(struct graph_nodes *nodes, const struct source_event *event,
			 uint64_t duration_ns)
{
	uint64_t time_ns = event->event.time_ns;
	uint64_t start_ns = time_ns > duration_ns ? time_ns - duration_ns : 0;
	struct pending *pending = pending_of(nodes, event->thread);

	for (uint32_t i = 0; i < pending->count; i++)
		if (pending->made[i].time_ns >= start_ns)
			node_take_context(nodes, pending->made[i].node, event);
	pending->count = 0;
}

static void graph_nodes_take_launch(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	if (!event_is_nested_call(&event->event))
		call_returns(state, event, EVENT_AS(cuda_launch, &event->event)->duration_ns);
}

static void graph_nodes_take_copy(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	if (!event_is_nested_call(&event->event))
		call_returns(state, event, EVENT_AS(cuda_copy, &event->event)->duration_ns);
}

static void take_other(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	if (!event_is_nested_call(&event->event))
		call_returns(state, event, EVENT_AS(cuda_call, &event->event)->duration_ns);
}

static void graph_nodes_take_hidden(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	call_returns(state, event, EVENT_AS(gpu_call, &event->event)->duration_ns);
}

void graph_nodes_read(struct graph_nodes *nodes, struct run *run, void *state)
{
	(void)nodes;
	run_reads(run, EVT_gpu_captured, FIELDS_ALL, graph_nodes_take_captured, state);
	run_reads(run, EVT_cuda_launch,
		  FIELD_BIT(cuda_launch, duration_ns) | FIELD_BIT(cuda_launch, flags),
		  graph_nodes_take_launch, state);
	run_reads(run, EVT_cuda_copy,
		  FIELD_BIT(cuda_copy, duration_ns) | FIELD_BIT(cuda_copy, flags),
		  graph_nodes_take_copy, state);
	run_reads(run, EVT_cuda_call, FIELDS_ALL, take_other, state);
	run_reads(run, EVT_gpu_call, FIELDS_ALL, graph_nodes_take_hidden, state);
}

uint64_t graph_nodes_place(const struct graph_nodes *nodes, uint32_t process, uint64_t number,
			   unsigned int key)
{
	uint32_t node = number ? node_find(nodes, process, number) : 0;

	for (unsigned int i = 0; node && i < COPIES_MAX; i++) {
		if (!nodes->node[node - 1].of)
			return nodes->node[node - 1].place[key];
		node = nodes->node[node - 1].of;
	}
	return 0;
}
