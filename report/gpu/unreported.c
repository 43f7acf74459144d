/* SPDX-License-Identifier: MIT */
/*
 * Calls are followed by deferred/deferred.h: a place is a kind of call and the entry for which it
 * is counted.
 */
#include "report/gpu/unreported.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/map.h"
#include "report/base/memory.h"
#include "report/base/units.h"
#include "report/deferred/deferred.h"

enum {
	CALL_NONE, /* DEFERRED_NOTHING */
	CALL_LAUNCH,
	CALL_COPY,
	CALL_HIDDEN, /* a launch by code that cannot be interposed */
	CALL_GRAPH,
	CALL_KINDS,
};
#define CALL_BITS 3u

/* What a function does, by its name. */
enum {
	FUNCTION_UNSEEN,
	FUNCTION_OTHER,
	FUNCTION_LAUNCHES,
	FUNCTION_LAUNCHES_GRAPH,
	FUNCTION_BEGINS_CAPTURE,
	FUNCTION_ENDS_CAPTURE,
};

struct unreported_process {
	const struct source_process *process;
	uint64_t started_ns; /* of CUPTI; 0: it is not known to have started */
	uint64_t lost, count[CALL_KINDS];
	uint32_t capturing; /* streams that are being captured */
	bool is_unknown, has_nodes, launches_graphs;
};

struct unreported_graph {
	uint32_t process;
	bool has_work;
	uint64_t count; /* launches without work */
};

struct unreported_thread {
	uint64_t captured_ns; /* the time of the last graph node that it made */
	bool tells;           /* the thread reports work: it is CUPTI's, or it flushes */
};

struct unreported_state {
	struct unreported unreported; /* must be first: others see only this part */
	struct source *source;
	struct unreported_process *process;
	struct unreported_graph *graph;
	struct unreported_thread *thread;
	uint8_t *function; /* by name */
	size_t process_room, graph_count, graph_room, thread_room, function_room;
	bool keeps;
	/* by place; unused ones have the next unused one in `thread`, UINT32_MAX: none */
	struct unreported_work *kept;
	size_t kept_count, kept_room, work_room;
	uint32_t kept_unused;
	struct map graphs; /* (process, handle) to graph + 1 */
};

static struct unreported_process *unreported_process_of(struct unreported_state *mine,
							const struct source_process *process)
{
	mine->process = memory_room(mine->process, process->index, &mine->process_room,
				    sizeof(*mine->process));
	mine->process[process->index].process = process;
	return &mine->process[process->index];
}

static struct unreported_thread *unreported_thread_of(struct unreported_state *mine,
						      const struct source_thread *thread)
{
	mine->thread = memory_room(mine->thread, thread->index, &mine->thread_room,
				   sizeof(*mine->thread));
	return &mine->thread[thread->index];
}

/* --- functions --- */

static uint8_t function_by_text(const char *text)
{
	if (!text)
		return FUNCTION_OTHER;
	if (strstr(text, "GraphLaunch"))
		return FUNCTION_LAUNCHES_GRAPH;
	if (strstr(text, "LaunchKernel") || strstr(text, "LaunchCooperative"))
		return FUNCTION_LAUNCHES;
	if (strstr(text, "StreamBeginCapture"))
		return FUNCTION_BEGINS_CAPTURE;
	return strstr(text, "StreamEndCapture") ? FUNCTION_ENDS_CAPTURE : FUNCTION_OTHER;
}

static uint8_t unreported_function_of(struct unreported_state *mine,
				      const struct source_event *event, uint64_t name)
{
	uint32_t index = event_name(mine->source, event, name);

	mine->function = memory_room(mine->function, index, &mine->function_room,
				     sizeof(*mine->function));
	if (mine->function[index] == FUNCTION_UNSEEN)
		mine->function[index] = function_by_text(source_name_at(mine->source, index)->text);
	return mine->function[index];
}

/* --- calls --- */

static uint64_t place_make(uint32_t index, unsigned int kind)
{
	return (uint64_t)index << CALL_BITS | kind;
}

static bool call_is_followed(struct unreported_state *mine, const struct source_event *event,
			     uint64_t duration_ns)
{
	const struct unreported_process *process = unreported_process_of(mine, event->process);
	uint64_t time_ns = event->event.time_ns;
	uint64_t start_ns = time_ns > duration_ns ? time_ns - duration_ns : 0;

	return process->started_ns && start_ns >= process->started_ns && !process->capturing &&
	       unreported_thread_of(mine, event->thread)->captured_ns < start_ns;
}

/*
 * Makes the place of one piece of work. With `keeps` it is that of the call, which has the process.
 */
static uint64_t place_of_call(struct unreported_state *mine, const struct source_event *event,
			      unsigned int kind, struct unreported_work work)
{
	uint32_t at = mine->kept_unused;

	if (!mine->keeps)
		return place_make(event->process->index, kind);
	work.start_ns = event->event.time_ns;
	work.process = event->process->index;
	work.thread = event->thread->index;
	if (at == UINT32_MAX) {
		mine->kept = memory_room(mine->kept, mine->kept_count, &mine->kept_room,
					 sizeof(*mine->kept));
		at = (uint32_t)mine->kept_count++;
	} else {
		mine->kept_unused = mine->kept[at].thread;
	}
	mine->kept[at] = work;
	return place_make(at, kind);
}

static uint64_t place_of_graph(struct unreported_state *mine, const struct source_event *event,
			       uint64_t handle)
{
	bool added;
	struct map_entry *entry = map_put(
		&mine->graphs, map_key_of(&mine->graphs, event->process->index, handle), &added);

	unreported_process_of(mine, event->process)->launches_graphs = true;
	if (added) {
		mine->graph = memory_room(mine->graph, mine->graph_count, &mine->graph_room,
					  sizeof(*mine->graph));
		mine->graph[mine->graph_count] = (struct unreported_graph){
			.process = event->process->index
		};
		entry->value = mine->graph_count++;
	}
	return place_make((uint32_t)entry->value, CALL_GRAPH);
}

static uint64_t place_of_hidden(struct unreported_state *mine, const struct source_event *event)
{
	const struct evt_gpu_call *call = EVENT_AS(gpu_call, &event->event);
	uint8_t function = unreported_function_of(mine, event, call->function);

	if (function == FUNCTION_LAUNCHES_GRAPH)
		unreported_process_of(mine, event->process)->launches_graphs = true;
	if (function != FUNCTION_LAUNCHES || call->result ||
	    !call_is_followed(mine, event, call->duration_ns))
		return DEFERRED_NOTHING;
	return place_of_call(mine, event, CALL_HIDDEN,
			     (struct unreported_work){
				     .correlation = call->correlation,
				     .name = event_name(mine->source, event, call->function) });
}

/*
 * A copy whose direction depends on the addresses may be from host to host, and a copy of 0 bytes
 * has no work.
 */
static bool copy_has_work(const struct evt_cuda_copy *copy)
{
	return !copy->result && copy->bytes && copy->kind != EVT_CUDA_COPY_HTOH &&
	       copy->kind != EVT_CUDA_COPY_DEFAULT;
}

static struct unreported_work work_of_launch(struct unreported_state *mine,
					     const struct source_event *event)
{
	const struct evt_cuda_launch *launch = EVENT_AS(cuda_launch, &event->event);

	return (struct unreported_work){
		.correlation = launch->correlation,
		.name = event_name(mine->source, event,
				   launch->kernel ? launch->kernel : launch->function),
		.is_kernel = launch->kernel != 0,
	};
}

static uint64_t unreported_place_of(void *state, const struct source_event *event, bool counts)
{
	struct unreported_state *mine = state;
	const struct event *what = &event->event;

	if (!counts)
		return DEFERRED_NOTHING;
	switch (what->id) {
	case EVT_cuda_launch:
		if (EVENT_AS(cuda_launch, what)->result ||
		    !call_is_followed(mine, event, EVENT_AS(cuda_launch, what)->duration_ns))
			return DEFERRED_NOTHING;
		return place_of_call(mine, event, CALL_LAUNCH, work_of_launch(mine, event));
	case EVT_cuda_copy:
		if (!copy_has_work(EVENT_AS(cuda_copy, what)) ||
		    !call_is_followed(mine, event, EVENT_AS(cuda_copy, what)->duration_ns))
			return DEFERRED_NOTHING;
		return place_of_call(
			mine, event, CALL_COPY,
			(struct unreported_work){
				.correlation = EVENT_AS(cuda_copy, what)->correlation,
				.name = event_name(mine->source, event,
						   EVENT_AS(cuda_copy, what)->function) });
	case EVT_cuda_call:
		if (EVENT_AS(cuda_call, what)->result ||
		    unreported_function_of(mine, event, EVENT_AS(cuda_call, what)->function) !=
			    FUNCTION_LAUNCHES_GRAPH ||
		    !call_is_followed(mine, event, EVENT_AS(cuda_call, what)->duration_ns))
			return DEFERRED_NOTHING;
		return place_of_graph(mine, event, EVENT_AS(cuda_call, what)->object);
	default:
		return place_of_hidden(mine, event);
	}
}

static void unreported_take_work(void *state, uint64_t place, const struct deferred_work *work)
{
	struct unreported_state *mine = state;

	if ((place & ((1u << CALL_BITS) - 1)) == CALL_GRAPH && work->is_on_device)
		mine->graph[place >> CALL_BITS].has_work = true;
}

static void work_keep(struct unreported_state *mine, const struct unreported_work *work)
{
	struct unreported *unreported = &mine->unreported;

	unreported->work = memory_room(unreported->work, unreported->work_count, &mine->work_room,
				       sizeof(*unreported->work));
	unreported->work[unreported->work_count++] = *work;
}

/* Frees the call's place and returns its process. */
static uint32_t call_forget(struct unreported_state *mine, uint32_t at, bool has_work)
{
	uint32_t process = mine->kept[at].process;

	if (!has_work)
		work_keep(mine, &mine->kept[at]);
	mine->kept[at].thread = mine->kept_unused;
	mine->kept_unused = at;
	return process;
}

static void drop_call(void *state, uint64_t place, bool has_work)
{
	struct unreported_state *mine = state;
	unsigned int kind = place & ((1u << CALL_BITS) - 1);
	uint32_t at = (uint32_t)(place >> CALL_BITS);

	if (kind == CALL_NONE)
		return;
	if (mine->keeps && kind != CALL_GRAPH)
		at = call_forget(mine, at, has_work);
	if (has_work)
		return;
	if (kind == CALL_GRAPH)
		mine->graph[at].count++;
	else
		mine->process[at].count[kind]++;
}

/* --- what is known of processes --- */

static void unreported_take_call(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_call *call = EVENT_AS(cuda_call, &event->event);
	struct unreported_state *mine = state;
	uint8_t function = unreported_function_of(mine, event, call->function);
	struct unreported_process *process;

	(void)counts;
	if (call->result ||
	    (function != FUNCTION_BEGINS_CAPTURE && function != FUNCTION_ENDS_CAPTURE))
		return;
	process = unreported_process_of(mine, event->process);
	if (function == FUNCTION_BEGINS_CAPTURE)
		process->capturing++;
	else if (process->capturing)
		process->capturing--;
}

static void unreported_take_captured(void *state, const struct source_event *event, bool counts)
{
	struct unreported_state *mine = state;

	(void)counts;
	unreported_process_of(mine, event->process)->has_nodes = true;
	unreported_thread_of(mine, event->thread)->captured_ns = event->event.time_ns;
}

static void unreported_take_cupti(void *state, const struct source_event *event, bool counts)
{
	const struct evt_gpu_cupti *cupti = EVENT_AS(gpu_cupti, &event->event);
	struct unreported_process *process = unreported_process_of(state, event->process);

	(void)counts;
	if (cupti->state == EVT_GPU_STARTED)
		process->started_ns = event->event.time_ns + !event->event.time_ns;
	else if (cupti->state == EVT_GPU_LEFT)
		process->is_unknown = true;
}

/* Work that is summed has no call, so it is not known which calls had none. */
static void unreported_take_sum(void *state, const struct source_event *event, bool counts)
{
	/* the process is the first field of both */
	uint64_t number = EVENT_AS(gpu_kernel_sum, &event->event)->process;
	const struct source_process *process = source_process_of(event->file, number);

	(void)counts;
	if (process)
		unreported_process_of(state, process)->is_unknown = true;
}

static void unreported_take_lost(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	unreported_process_of(state, event->process)->lost += EVENT_AS(gpu_lost, &event->event)
								      ->count;
}

/* Read with each of CUPTI's buffers. */
static void unreported_take_clock(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	unreported_thread_of(state, event->thread)->tells = true;
}

static void take_ring_lost(void *state, const struct source_event *event, bool counts)
{
	const struct evt_lost *lost = EVENT_AS(lost, &event->event);
	const struct source_thread *thread = source_thread_of(event->file, lost->stream);
	const struct source_process *process = source_process_of(event->file, lost->process);

	(void)counts;
	if (!lost_is_of_events(lost->reason) || !process)
		return;
	if (!thread)
		unreported_process_of(state, process)->is_unknown = true;
	else if (unreported_thread_of(state, thread)->tells)
		unreported_process_of(state, process)->lost += lost->count;
}

static void unreported_nothing(void *state, const struct source_event *event, bool counts)
{
	(void)state;
	(void)event;
	(void)counts;
}

/* --- life --- */

static void unreported_start(void *state, struct run *run, const void *options)
{
	static const struct deferred_listener listener = { .place = unreported_place_of,
							   .take = unreported_take_work,
							   .drop = drop_call };
	struct unreported_state *mine = state;

	mine->keeps = ((const struct unreported_options *)options)->keeps;
	mine->kept_unused = UINT32_MAX;
	mine->source = run_source(run);
	map_init(&mine->graphs);
	run_reads(run, EVT_cuda_launch, FIELD_BIT(cuda_launch, result), unreported_nothing, mine);
	run_reads(run, EVT_cuda_copy,
		  FIELD_BIT(cuda_copy, result) | FIELD_BIT(cuda_copy, kind) |
			  FIELD_BIT(cuda_copy, bytes),
		  unreported_nothing, mine);
	run_reads(run, EVT_cuda_call, FIELDS_ALL, unreported_take_call, mine);
	run_reads(run, EVT_gpu_captured, FIELD_BIT(gpu_captured, graph), unreported_take_captured,
		  mine);
	run_reads(run, EVT_gpu_cupti, FIELD_BIT(gpu_cupti, state), unreported_take_cupti, mine);
	run_reads(run, EVT_gpu_lost, FIELD_BIT(gpu_lost, count), unreported_take_lost, mine);
	run_reads(run, EVT_gpu_kernel_sum, FIELD_BIT(gpu_kernel_sum, process), unreported_take_sum,
		  mine);
	run_reads(run, EVT_gpu_copy_sum, FIELD_BIT(gpu_copy_sum, process), unreported_take_sum,
		  mine);
	run_reads(run, EVT_gpu_clock, FIELD_BIT(gpu_clock, drift), unreported_take_clock, mine);
	run_reads(run, EVT_lost, FIELDS_ALL, take_ring_lost, mine);
	deferred_listen(deferred_want(run), &listener, mine);
}

static uint64_t unreported_of(const struct unreported_state *mine,
			      const struct unreported_process *process)
{
	uint64_t count = process->count[CALL_LAUNCH] + process->count[CALL_COPY] +
			 process->count[CALL_GRAPH];
	bool knows_captured = process->has_nodes || !process->launches_graphs;

	if (!process->process || process->is_unknown ||
	    (process->process->file->live && !process->process->ended))
		return 0;
	count += knows_captured ? process->count[CALL_HIDDEN] : 0;
	if (count <= process->lost || source_file_has_holes(mine->source, process->process->file))
		return 0;
	return count - process->lost;
}

/* Removes the calls of a process that lost GPU records: it is not known which of them had work. */
static void forget_uncertain(struct unreported_state *mine)
{
	struct unreported *unreported = &mine->unreported;
	size_t count = unreported->work_count;

	unreported->work_count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct unreported_process
			*process = &mine->process[unreported->work[i].process];

		if (unreported_of(mine, process) && !process->lost)
			unreported->work[unreported->work_count++] = unreported->work[i];
	}
}

static void unreported_add_up(struct unreported_state *mine)
{
	struct unreported *unreported = &mine->unreported;

	unreported->calls = unreported->most = unreported->process = unreported->processes = 0;
	for (uint32_t i = 0; i < mine->process_room; i++) {
		uint64_t count = unreported_of(mine, &mine->process[i]);

		unreported->calls += count;
		unreported->processes += count > 0;
		if (count <= unreported->most)
			continue;
		unreported->most = count;
		unreported->process = i;
	}
}

static void unreported_finish(void *state)
{
	struct unreported_state *mine = state;

	for (size_t i = 0; i < mine->graph_count; i++)
		if (mine->graph[i].has_work)
			mine->process[mine->graph[i].process].count[CALL_GRAPH] += mine->graph[i]
											   .count;
	unreported_add_up(mine);
	forget_uncertain(mine);
}

static void unreported_release(void *state)
{
	struct unreported_state *mine = state;

	map_release(&mine->graphs);
	free(mine->unreported.work);
	free(mine->kept);
	free(mine->process);
	free(mine->graph);
	free(mine->thread);
	free(mine->function);
}

const struct analysis_kind analysis_unreported = {
	.name = "unreported work",
	.state_bytes = sizeof(struct unreported_state),
	.options_bytes = sizeof(struct unreported_options),
	.start = unreported_start,
	.finish = unreported_finish,
	.release = unreported_release,
};

void unreported_print(const struct unreported *unreported, const struct source *source,
		      const struct screen *screen)
{
	struct source_process *const *process;
	char calls[UNIT_TEXT_BYTES], most[UNIT_TEXT_BYTES], of[120];

	if (!unreported->calls)
		return;
	source_processes(source, &process);
	unit_format_count(calls, unreported->calls);
	if (unreported->processes > 1)
		snprintf(of, sizeof(of), " in %u processes (%s of them in %u)",
			 unreported->processes, unit_format_count(most, unreported->most),
			 process[unreported->process]->pid);
	else
		snprintf(of, sizeof(of), " in process %u", process[unreported->process]->pid);
	screen_print_prose(
		screen,
		"LOST: the work of %s launch%s, copies or memsets%s: CUPTI had not handed "
		"it out when the program ended",
		calls, unreported->calls == 1 ? "" : "es", of);
}

/* INTERCEPT_GPU=sums in one of the processes. */
static bool unreported_is_summed(const struct run *run)
{
	struct source_process *const *process;
	size_t count = source_processes(run_source(run), &process);

	for (size_t i = 0; i < count; i++)
		if (process[i]->limitations >> LIMITATION_gpu_summed & 1)
			return true;
	return false;
}

const char *unreported_explain(const struct unreported *unreported, const struct run *run,
			       struct why_empty *absence)
{
	if (unreported_is_summed(run)) {
		snprintf(absence->text, sizeof(absence->text),
			 "the work of the GPU was recorded as sums (INTERCEPT_GPU=sums), and this "
			 "table is of single pieces");
		return absence->text;
	}
	if (!unreported->calls)
		return why_empty_explain(run, EVT_FAMILY_gpu, absence);
	snprintf(absence->text, sizeof(absence->text),
		 "nothing of what was asked for is known: CUPTI hands out what the GPU did once a "
		 "second, and had not when the program ended");
	return absence->text;
}
