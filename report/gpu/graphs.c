/* SPDX-License-Identifier: MIT */
/*
 * Listens to deferred work (deferred/deferred.h). A launch is kept until no more of its work can
 * come; then its spans are sorted and added up. A launch without work is counted for the graph of
 * the launches with work through the same handle.
 */
#include "report/gpu/graphs.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/time_order.h"
#include "report/deferred/deferred.h"
#include "report/gpu/gpu.h"
#include "report/gpu/gpu_work.h"

struct span {
	uint64_t start_ns, end_ns;
};

/* A launch whose work may still come. */
struct launch {
	uint32_t process, row; /* row + 1; 0: no work has come */
	uint32_t next_unused;
	uint64_t handle, correlation, host_ns;
	struct span *span; /* of its work */
	size_t span_count, span_room;
};

/* Launches through a handle of the program without reported work. */
struct handle {
	uint32_t process, row;
	uint64_t launches, host_ns;
};

struct graphs_state {
	struct graphs graphs; /* must be first: others see only this part */
	struct source *source;
	struct launch *launch;
	struct handle *handle;
	size_t launch_count, launch_room, handle_count, handle_room;
	uint32_t unused;      /* launch + 1 */
	struct map rows;      /* (process, number) to row + 1 */
	struct map handles;   /* (process, handle) to handle + 1 */
	struct map under_way; /* (process, correlation) to launch + 1 */
	struct map ran;       /* (process, node) of the nodes that ran */
	uint8_t *function;    /* by name; 0: not examined yet, 2: launches graphs */
	size_t function_room;
};

static uint64_t graphs_id_of(uint32_t process, uint64_t number)
{
	return ((uint64_t)process << 32 | (uint32_t)number) + 1;
}

static uint32_t graphs_row_of(struct graphs_state *mine, uint32_t process, uint32_t number)
{
	struct graphs *graphs = &mine->graphs;
	bool added;
	struct map_entry *entry = map_put(&mine->rows, graphs_id_of(process, number), &added);

	if (!added)
		return (uint32_t)entry->value;
	graphs->row = memory_room(graphs->row, graphs->row_count, &graphs->row_room,
				  sizeof(*graphs->row));
	graphs->row[graphs->row_count] = (struct graph_row){ .process = process, .number = number };
	entry->value = ++graphs->row_count;
	return (uint32_t)entry->value;
}

/* --- launches --- */

static bool launches_graph(struct graphs_state *mine, const struct source_event *event,
			   uint64_t function)
{
	uint32_t index = event_name(mine->source, event, function);
	const char *text;

	mine->function = memory_room(mine->function, index, &mine->function_room,
				     sizeof(*mine->function));
	if (!mine->function[index]) {
		text = source_name_at(mine->source, index)->text;
		mine->function[index] = text && strstr(text, "GraphLaunch") ? 2 : 1;
	}
	return mine->function[index] == 2;
}

static uint64_t launch_put(struct graphs_state *mine, const struct launch *what)
{
	uint32_t number = mine->unused;
	struct launch *launch;
	bool added;

	if (number) {
		mine->unused = mine->launch[number - 1].next_unused;
	} else {
		mine->launch = memory_room(mine->launch, mine->launch_count, &mine->launch_room,
					   sizeof(*mine->launch));
		number = (uint32_t)++mine->launch_count;
	}
	launch = &mine->launch[number - 1];
	*launch = (struct launch){ .process = what->process,
				   .handle = what->handle,
				   .correlation = what->correlation,
				   .host_ns = what->host_ns,
				   .span = launch->span,
				   .span_room = launch->span_room };
	map_put(&mine->under_way, graphs_id_of(what->process, what->correlation), &added)
		->value = number;
	return number;
}

static uint64_t graphs_place_of(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_call *call = EVENT_AS(cuda_call, &event->event);
	const struct evt_gpu_call *hidden = EVENT_AS(gpu_call, &event->event);
	struct launch launch = { .process = event->process->index };
	struct graphs_state *mine = state;

	if (!counts)
		return DEFERRED_NOTHING;
	if (event->event.id == EVT_cuda_call) {
		if (call->result || !launches_graph(mine, event, call->function))
			return DEFERRED_NOTHING;
		launch.handle = call->object;
		launch.correlation = call->correlation;
		launch.host_ns = call->duration_ns;
	} else if (event->event.id == EVT_gpu_call) {
		if (hidden->result || !launches_graph(mine, event, hidden->function))
			return DEFERRED_NOTHING;
		launch.correlation = hidden->correlation;
		launch.host_ns = hidden->duration_ns;
	} else {
		return DEFERRED_NOTHING;
	}
	return launch_put(mine, &launch);
}

/* --- work --- */

static void graphs_work_count(struct graphs_state *mine, const struct deferred_work *work)
{
	const struct gpu_work *piece = gpu_work_of(work);
	struct graphs *graphs = &mine->graphs;
	uint64_t key[GROUP_WORDS] = { 0 };

	if (graphs->form == GRAPHS_BY_GRAPH)
		return;
	if (graphs->form == GRAPHS_BY_KEY) {
		key[GRAPH_WORD_PLACE] = graph_nodes_place(&graphs->nodes, work->process,
							  piece->node, 0);
	} else {
		key[GRAPH_WORD_WHAT] = piece->kind == GPU_WORK_SET ? GPU_KIND_SET : piece->what;
		key[GRAPH_WORD_KIND] = piece->kind;
	}
	if (graphs->form == GRAPHS_BY_NODE) {
		key[GRAPH_WORD_NODE] = piece->node;
		key[GRAPH_WORD_GRAPH] = (uint64_t)work->process << 32 | piece->graph;
	}
	groups_add(&graphs->work, key,
		   &(struct group_call){ .duration_ns = work->duration_ns, .bytes = piece->bytes });
}

static void row_note_node(struct graphs_state *mine, struct graph_row *row,
			  const struct deferred_work *work)
{
	const struct gpu_work *piece = gpu_work_of(work);
	bool added;

	if (!piece->node)
		return;
	map_put(&mine->ran, map_key_of(&mine->ran, work->process, piece->node), &added);
	row->nodes += added;
}

static void launch_add(struct graphs_state *mine, struct launch *launch, uint32_t graph,
		       const struct span *span)
{
	if (!launch->row)
		launch->row = graphs_row_of(mine, launch->process, graph);
	launch->span = memory_room(launch->span, launch->span_count, &launch->span_room,
				   sizeof(*launch->span));
	launch->span[launch->span_count++] = *span;
}

static void graphs_take_work(void *state, uint64_t place, const struct deferred_work *work)
{
	const struct gpu_work *piece = gpu_work_of(work);
	struct graphs_state *mine = state;
	struct launch *launch;
	struct graph_row *row;

	if (place == DEFERRED_NOTHING || !work->is_on_device)
		return;
	launch = &mine->launch[place - 1];
	launch_add(mine, launch, piece->graph,
		   &(struct span){ work->start_ns, deferred_end_ns(work) });
	row = &mine->graphs.row[launch->row - 1];
	row->calls++;
	row->total_ns += work->duration_ns;
	row_note_node(mine, row, work);
	graphs_work_count(mine, work);
}

/* For recordings with INTERCEPT_GRAPHS=whole. */
static void take_whole(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_graph *graph = EVENT_AS(gpu_graph, &event->event);
	struct graphs_state *mine = state;
	const struct map_entry *entry = map_find(
		&mine->under_way, graphs_id_of(event->process->index, graph->correlation));
	uint64_t start_ns = event->event.time_ns - (uint64_t)(int64_t)graph->ago_ns;
	struct launch *launch;
	struct graph_row *row;

	(void)counts;
	if (!entry)
		return;
	launch = &mine->launch[entry->value - 1];
	launch_add(mine, launch, (uint32_t)graph->graph,
		   &(struct span){ start_ns, start_ns + graph->duration_ns });
	row = &mine->graphs.row[launch->row - 1];
	row->total_ns += graph->duration_ns;
	row->is_whole = true;
}

/* --- the end of a launch --- */

/* Adds the time between its first work and its last, and how much of it no work covers. */
static void launch_sum(struct launch *launch, struct graph_row *row)
{
	uint64_t covered_ns;

	time_order_sort(launch->span, launch->span_count, sizeof(*launch->span));
	covered_ns = launch->span[0].start_ns;
	for (size_t i = 0; i < launch->span_count; i++) {
		const struct span *span = &launch->span[i];

		if (span->start_ns > covered_ns)
			row->gap_ns += span->start_ns - covered_ns;
		if (span->end_ns > covered_ns)
			covered_ns = span->end_ns;
	}
	row->span_ns += covered_ns - launch->span[0].start_ns;
}

static struct handle *handle_of(struct graphs_state *mine, const struct launch *launch)
{
	bool added;
	struct map_entry *entry = map_put(
		&mine->handles, map_key_of(&mine->handles, launch->process, launch->handle),
		&added);

	if (added) {
		mine->handle = memory_room(mine->handle, mine->handle_count, &mine->handle_room,
					   sizeof(*mine->handle));
		mine->handle[mine->handle_count] = (struct handle){ .process = launch->process };
		entry->value = mine->handle_count++;
	}
	return &mine->handle[entry->value];
}

static void drop_launch(void *state, uint64_t place, bool had_work)
{
	struct graphs_state *mine = state;
	struct map_entry *entry;
	struct launch *launch;

	(void)had_work;
	if (place == DEFERRED_NOTHING)
		return;
	launch = &mine->launch[place - 1];
	if (launch->row) {
		struct graph_row *row = &mine->graphs.row[launch->row - 1];

		launch_sum(launch, row);
		row->launches++;
		row->host_ns += launch->host_ns;
		handle_of(mine, launch)->row = launch->handle ? launch->row : 0;
	} else {
		struct handle *handle = handle_of(mine, launch);

		handle->launches++;
		handle->host_ns += launch->host_ns;
	}
	entry = map_find(&mine->under_way, graphs_id_of(launch->process, launch->correlation));
	if (entry && entry->value == place)
		map_remove(&mine->under_way, entry);
	launch->next_unused = mine->unused;
	mine->unused = (uint32_t)place;
}

/*
 * Launches without work are counted for the graph whose work came through the handle; without one,
 * for an unknown graph.
 */
static void graphs_finish(void *state)
{
	struct graphs_state *mine = state;

	for (size_t i = 0; i < mine->handle_count; i++) {
		const struct handle *handle = &mine->handle[i];
		uint32_t at = handle->row;
		struct graph_row *row;

		if (!handle->launches)
			continue;
		at = at ? at : graphs_row_of(mine, handle->process, 0);
		row = &mine->graphs.row[at - 1];
		row->launches += handle->launches;
		row->without_work += handle->launches;
		row->host_ns += handle->host_ns;
	}
}

/* --- life --- */

/* By node: operator, range and Python line side by side. */
static void graphs_keys_start(struct graphs_state *mine, struct run *run, enum key_id by)
{
	struct run_key *key = mine->graphs.nodes.key;

	if (by == BY_graphs_node) {
		mine->graphs.form = GRAPHS_BY_NODE;
		key[0] = run_key(run, BY_graphs_op);
		key[1] = run_key(run, BY_graphs_range);
		key[2] = run_key(run, BY_graphs_python);
		mine->graphs.nodes.is_stack[2] = true;
	} else if (by == BY_graphs_name) {
		mine->graphs.form = GRAPHS_BY_NAME;
	} else if (by != BY_graphs_graph) {
		mine->graphs.form = GRAPHS_BY_KEY;
		key[0] = run_key(run, by);
		mine->graphs.nodes.is_stack[0] = by != BY_graphs_op && by != BY_graphs_range;
	}
}

static void graphs_start(void *state, struct run *run, const void *options)
{
	static const struct deferred_listener listener = { .place = graphs_place_of,
							   .take = graphs_take_work,
							   .drop = drop_launch };
	struct graphs_state *mine = state;

	mine->source = run_source(run);
	map_init(&mine->rows);
	map_init(&mine->handles);
	map_init(&mine->under_way);
	map_init(&mine->ran);
	groups_init(&mine->graphs.work);
	graph_nodes_init(&mine->graphs.nodes);
	graphs_keys_start(mine, run, ((const struct graphs_options *)options)->by);
	mine->graphs.deferred = deferred_want(run);
	gpu_work_want_nodes(run);
	deferred_listen(mine->graphs.deferred, &listener, mine);
	graph_nodes_read(&mine->graphs.nodes, run, mine);
	run_reads(run, EVT_gpu_graph, FIELDS_ALL, take_whole, mine);
}

static void graphs_release(void *state)
{
	struct graphs_state *mine = state;

	for (size_t i = 0; i < mine->launch_count; i++)
		free(mine->launch[i].span);
	map_release(&mine->rows);
	map_release(&mine->handles);
	map_release(&mine->under_way);
	map_release(&mine->ran);
	groups_release(&mine->graphs.work);
	graph_nodes_release(&mine->graphs.nodes);
	free(mine->graphs.row);
	free(mine->launch);
	free(mine->handle);
	free(mine->function);
}

const struct analysis_kind analysis_graphs = {
	.name = "graphs",
	.state_bytes = sizeof(struct graphs_state),
	.options_bytes = sizeof(struct graphs_options),
	.start = graphs_start,
	.finish = graphs_finish,
	.release = graphs_release,
};
