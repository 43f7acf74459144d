/* SPDX-License-Identifier: MIT */
/*
 * What opens and closes on threads, as events of a trace: operators, labels, ranges, modules and
 * actions. See producer.h.
 */
#include "report/trace/producer.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/scopes/scope_events.h"
#include "report/torch/collectives.h"

/* forward operators whose backward has not come; with more, the oldest are dropped */
#define FORWARDS_MAX (1u << 20)

struct trace_forward {
	uint64_t time_ns;
	uint32_t thread; /* for an unused entry: the next unused one */
};

/* --- ends --- */

static enum trace_category trace_scopes_category_of(const struct trace_nest *nest,
						    const struct trace_scope *scope)
{
	if (nest->id == NEST_MODULES)
		return TRACE_MODULE;
	return nest->id == NEST_OPERATORS && !scope->is_user ? TRACE_OPERATOR : TRACE_ANNOTATION;
}

static void list_operator(struct trace *trace, struct trace_list *list,
			  const struct trace_scope *scope)
{
	trace_add_number(list, TRACE_OF_EXTERNAL_ID, scope->id);
	if (scope->sequence >= 0)
		trace_add_signed(list, TRACE_OF_SEQUENCE, scope->sequence);
	if (scope->forward_thread)
		trace_add_number(list, TRACE_OF_FORWARD_THREAD, scope->forward_thread);
	if (scope->shapes)
		trace_add_text(list, TRACE_OF_SHAPES,
			       trace_text(&trace->texts, TRACE_AS_SHAPES, scope->shapes));
	if (scope->types)
		trace_add_text(list, TRACE_OF_TYPES,
			       trace_text(&trace->texts, TRACE_AS_TYPES, scope->types));
}

/* In the form of torch.profiler's modules, by which its viewers find them. */
static void list_module(struct trace_list *list, const struct trace_scope *scope)
{
	trace_add_number(list, TRACE_OF_PYTHON_ID, scope->id);
	if (scope->parent)
		trace_add_number(list, TRACE_OF_PYTHON_PARENT, scope->parent);
	trace_add_number(list, TRACE_OF_PYTHON_MODULE, scope->name);
}

static void trace_scopes_scope_ended(void *state, const struct nest_end *end)
{
	struct trace_nest *nest = state;
	struct trace *trace = nest->trace;
	const struct trace_scope *scope = &nest->scope[end->scope];
	const struct source_thread *thread = trace_thread(trace, end->thread);
	struct trace_list list;
	struct trace_slice slice = { .duration_ns = end->total_ns,
				     .runs_on = end->how == NEST_RUNS_ON,
				     .is_cut = end->how == NEST_CUT };

	list.count = 0;
	if (!scope->counts || !thread)
		return;
	if (end->overlaps && end->how == NEST_ENDS && trace->writer->nests_only)
		slice.id = ++trace->ids;
	slice.event.category = trace_scopes_category_of(nest, scope);
	slice.event.time_ns = end->time_ns - end->total_ns;
	slice.event.name = trace_text(&trace->texts,
				      nest->id == NEST_MODULES ? TRACE_AS_MODULE : TRACE_AS_IS,
				      scope->name);
	if (slice.event.category == TRACE_OPERATOR)
		list_operator(trace, &list, scope);
	else if (slice.event.category == TRACE_MODULE)
		list_module(&list, scope);
	slice.event.argument = list.argument;
	slice.event.arguments = list.count;
	slice.ordinal = scope->ordinal;
	trace_put_slice(trace, thread, slice);
}

/* --- begins --- */

/*
 * By the begin: calls of one rank overlap, and end in another order. Returns 0 for a label that is
 * no collective's.
 */
static uint64_t trace_scopes_ordinal(struct trace *trace, const struct source_event *event,
				     uint32_t name)
{
	struct collective_label label;
	struct map_entry *entry;
	size_t length;
	const char *text = name_text(source_name_at(trace->source, name), &length);
	uint64_t words[2] = { (uintptr_t)trace_file_of(trace, event->process) };
	bool added;

	if (!collective_label_of(text, length, &label))
		return 0;
	words[1] = map_hash_bytes(label.op, label.op_length, 0);
	entry = map_put(&trace->called, map_hash_bytes(words, sizeof(words), 0), &added);
	return entry->value = added ? 1 : entry->value + 1;
}

static struct trace_scope *scope_begin(struct trace *trace, enum trace_nest_id id,
				       const struct source_event *event, uint64_t key, bool hidden)
{
	struct trace_nest *nest = &trace->nest[id];
	uint32_t at = nest_begin(&nest->nest, event_place(event), key, hidden);
	uint32_t parent;

	if (at == NEST_NONE)
		return NULL;
	if (at >= nest->room)
		nest->scope = memory_room(nest->scope, at, &nest->room, sizeof(*nest->scope));
	parent = nest->nest.scope[at].parent;
	nest->scope[at] = (struct trace_scope){
		.sequence = -1,
		.id = ++trace->ids,
		.parent = parent == NEST_NONE ? 0 : nest->scope[parent].id,
	};
	return &nest->scope[at];
}

static uint64_t trace_scopes_forward_key(const struct source_event *event, uint64_t thread,
					 int64_t sequence)
{
	const uint64_t words[3] = { event->process->index, thread, (uint64_t)sequence };

	return map_hash_bytes(words, sizeof(words), 0);
}

/*
 * Of several operators with the same number, the one that began last has made the backward
 * function.
 */
static void note_forward(struct trace *trace, const struct source_event *event,
			 const struct evt_torch_begin_ex *begin)
{
	struct map_entry *entry;
	bool added;

	if (trace->forward.count >= FORWARDS_MAX) {
		map_clear(&trace->forward);
		trace->moments = 0;
		trace->moment_unused = NEST_NONE;
	}
	entry = map_put(&trace->forward,
			trace_scopes_forward_key(event, begin->thread, begin->sequence), &added);
	if (added && trace->moment_unused != NEST_NONE) {
		entry->value = trace->moment_unused;
		trace->moment_unused = trace->moment[entry->value].thread;
	} else if (added) {
		trace->moment = memory_room(trace->moment, trace->moments, &trace->moment_room,
					    sizeof(*trace->moment));
		entry->value = trace->moments++;
	}
	trace->moment[entry->value] = (struct trace_forward){ event->event.time_ns,
							      event->thread->index };
}

static void trace_scopes_put_flow(struct trace *trace, const struct source_thread *from,
				  uint64_t from_ns, const struct source_event *event)
{
	struct trace_file *file = trace_file_of(trace, event->process);

	if (!file || !trace->writer->flow)
		return;
	trace->writer->flow(file->state,
			    &(struct trace_flow){ .category = TRACE_BACKWARD,
						  .id = ++trace->flows,
						  .pid = trace_pid(trace, from->process),
						  .tid = from->tid,
						  .time_ns = from_ns,
						  .to_pid = trace_pid(trace, event->process),
						  .to_tid = event->thread->tid,
						  .to_ns = event->event.time_ns });
}

static void join_backward(struct trace *trace, const struct source_event *event,
			  const struct evt_torch_begin_ex *begin)
{
	struct map_entry *entry = map_find(
		&trace->forward,
		trace_scopes_forward_key(event, begin->forward_thread, begin->sequence));
	const struct source_thread *thread;
	struct trace_forward forward;

	if (!entry)
		return;
	forward = trace->moment[entry->value];
	thread = trace_thread(trace, forward.thread);
	trace->moment[entry->value].thread = trace->moment_unused;
	trace->moment_unused = (uint32_t)entry->value;
	map_remove(&trace->forward, entry);
	if (thread)
		trace_scopes_put_flow(trace, thread, forward.time_ns, event);
}

static void note_step(struct trace *trace, const struct source_event *event, uint32_t name)
{
	size_t length;
	const char *text = name_text(source_name_at(trace->source, name), &length);

	if (!text_begins(text, length, TRACE_STEP_LABEL))
		return;
	trace_pid(trace, event->process); /* makes room */
	trace->has_steps[event->process->index] = true;
}

static void trace_scopes_take_operator(void *state, const struct source_event *event, bool counts)
{
	struct trace *trace = state;
	const struct evt_torch_begin_ex *begin = EVENT_AS(torch_begin_ex, &event->event);
	bool is_ex = event->event.id != EVT_torch_begin, hidden = trace->naming->is_hidden;
	uint32_t name = event_name(trace->source, event, event->event.value[0]);
	struct trace_scope *scope = scope_begin(trace, NEST_OPERATORS, event, name, hidden);

	if (!scope)
		return;
	scope->name = name;
	scope->counts = counts && !hidden;
	if (!is_ex)
		return;
	scope->is_user = begin->scope == EVT_SCOPE_USER;
	scope->sequence = (int64_t)begin->sequence;
	scope->forward_thread = begin->forward_thread;
	if (scope->is_user && scope->counts)
		scope->ordinal = trace_scopes_ordinal(trace, event, name);
	if (scope->is_user)
		note_step(trace, event, name);
	else if (scope->counts && scope->sequence >= 0 && begin->scope == 1)
		join_backward(trace, event, begin);
	else if (scope->counts && scope->sequence >= 0)
		note_forward(trace, event, begin);
}

static void trace_scopes_take_inputs(void *state, const struct source_event *event, bool counts)
{
	struct trace *trace = state;
	struct trace_nest *nest = &trace->nest[NEST_OPERATORS];
	const struct evt_torch_inputs *inputs = EVENT_AS(torch_inputs, &event->event);
	uint32_t at = nest_top(&nest->nest, event->thread->index);

	(void)counts;
	if (at == NEST_NONE)
		return;
	nest->scope[at].shapes = event_name(trace->source, event, inputs->shapes);
	nest->scope[at].types = event_name(trace->source, event, inputs->types);
}

static void trace_scopes_take_operator_end(void *state, const struct source_event *event,
					   bool counts)
{
	struct trace *trace = state;

	(void)counts;
	nest_end_of_event(&trace->nest[NEST_OPERATORS].nest, trace->source, event);
}

static void trace_scopes_take_async_begin(void *state, const struct source_event *event,
					  bool counts)
{
	struct trace *trace = state;
	uint32_t name = event_name(trace->source, event, event->event.value[0]);
	bool is_shown = counts && !trace->naming->is_hidden;

	async_scopes_begin(
		&trace->async, EVENT_AS(torch_async_begin, &event->event)->function,
		&(struct async_scope){
			.place = event_place(event),
			.key = name,
			.ordinal = is_shown ? trace_scopes_ordinal(trace, event, name) : 0,
			.counts = is_shown });
}

static void put_async(struct trace *trace, const struct async_scope *scope, uint64_t end_ns,
		      enum nest_ending how)
{
	const struct source_thread *thread = trace_thread(trace, scope->place.thread);

	if (!scope->counts || !thread || end_ns < scope->place.time_ns)
		return;
	trace_put_slice(
		trace, thread,
		(struct trace_slice){
			.event = { .category = TRACE_ANNOTATION,
				   .name = trace_text(&trace->texts, TRACE_AS_IS, scope->key),
				   .time_ns = scope->place.time_ns },
			.duration_ns = end_ns - scope->place.time_ns,
			.ordinal = scope->ordinal,
			.runs_on = how == NEST_RUNS_ON,
			.is_cut = how == NEST_CUT });
}

static void trace_scopes_take_async_end(void *state, const struct source_event *event, bool counts)
{
	struct trace *trace = state;
	struct async_scope scope;

	(void)counts;
	if (async_scopes_end(&trace->async, event->process->index,
			     EVENT_AS(torch_async_end, &event->event)->function, &scope))
		put_async(trace, &scope, event->event.time_ns, NEST_ENDS);
}

/* --- ranges, modules, actions --- */

static void trace_scopes_take_push(void *state, const struct source_event *event, bool counts)
{
	struct trace *trace = state;
	uint32_t domain = event_name(trace->source, event, event->event.value[0]);
	struct trace_scope *scope = scope_begin(trace, NEST_RANGES, event, domain, false);

	scope->name = event_name(trace->source, event, event->event.value[1]);
	scope->counts = counts;
}

static void trace_scopes_take_pop(void *state, const struct source_event *event, bool counts)
{
	struct trace *trace = state;

	(void)counts;
	nest_end_key(&trace->nest[NEST_RANGES].nest, event_place(event),
		     event_name(trace->source, event, event->event.value[0]));
}

/* A module or an action. */
static void take_named(struct trace *trace, const struct source_event *event, bool counts,
		       enum trace_nest_id id)
{
	uint32_t name = event_name(trace->source, event, event->event.value[0]);
	struct trace_scope *scope = scope_begin(trace, id, event, name, false);

	scope->name = name;
	scope->counts = counts;
}

static void trace_scopes_take_module(void *state, const struct source_event *event, bool counts)
{
	take_named(state, event, counts, NEST_MODULES);
}

static void take_module_end(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	nest_end(&((struct trace *)state)->nest[NEST_MODULES].nest, event_place(event));
}

static void trace_scopes_take_action(void *state, const struct source_event *event, bool counts)
{
	take_named(state, event, counts, NEST_ACTIONS);
}

static void trace_scopes_take_action_end(void *state, const struct source_event *event, bool counts)
{
	struct trace *trace = state;

	(void)counts;
	nest_end_key(&trace->nest[NEST_ACTIONS].nest, event_place(event),
		     event_name(trace->source, event, event->event.value[0]));
}

/* --- for the analysis --- */

static void read_operators(struct trace *trace, struct run *run)
{
	trace->naming = operator_naming_want(run, NULL);
	run_reads_scopes(run, EVT_SCOPE_KIND_operator, FIELDS_ALL, trace_scopes_take_operator,
			 trace_scopes_take_operator_end, trace);
	run_reads(run, EVT_torch_inputs, FIELDS_ALL, trace_scopes_take_inputs, trace);
	run_reads(run, EVT_torch_async_begin, FIELDS_ALL, trace_scopes_take_async_begin, trace);
	run_reads(run, EVT_torch_async_end, FIELDS_ALL, trace_scopes_take_async_end, trace);
}

void trace_scopes_start(struct trace *trace, struct run *run)
{
	for (unsigned int i = 0; i < TRACE_NESTS; i++) {
		struct trace_nest *nest = &trace->nest[i];

		nest->trace = trace;
		nest->id = (enum trace_nest_id)i;
		nest_init(&nest->nest,
			  (struct nest_options){ .is_keyed = i == NEST_RANGES,
						 .by_generators = i == NEST_RANGES },
			  trace_scopes_scope_ended, nest);
	}
	async_scopes_init(&trace->async);
	map_init(&trace->forward);
	map_init(&trace->called);
	trace->moment_unused = NEST_NONE;
	read_operators(trace, run);
	run_reads_scopes(run, EVT_SCOPE_KIND_nvtx_push,
			 FIELD_BIT(nvtx_push, domain) | FIELD_BIT(nvtx_push, name),
			 trace_scopes_take_push, trace_scopes_take_pop, trace);
	run_reads(run, EVT_torch_module_begin, FIELDS_ALL, trace_scopes_take_module, trace);
	run_reads(run, EVT_torch_module_end, 0, take_module_end, trace);
	run_reads(run, EVT_action_begin, FIELDS_ALL, trace_scopes_take_action, trace);
	run_reads(run, EVT_action_end, FIELDS_ALL, trace_scopes_take_action_end, trace);
}

void trace_scopes_cut(struct trace *trace, const struct cut *cut)
{
	for (unsigned int i = 0; i < TRACE_NESTS; i++)
		nest_cut(&trace->nest[i].nest, cut_place(cut), cut_ending(cut));
}

struct async_cut {
	struct trace *trace;
	const struct cut *cut;
};

static void trace_scopes_cut_async(void *state, const struct async_scope *scope)
{
	struct async_cut *mine = state;

	put_async(mine->trace, scope, mine->cut->time_ns, cut_ending(mine->cut));
}

void trace_scopes_cut_process(struct trace *trace, const struct cut *cut)
{
	async_scopes_cut(&trace->async, cut->process->index, trace_scopes_cut_async,
			 &(struct async_cut){ trace, cut });
}

void trace_scopes_release(struct trace *trace)
{
	for (unsigned int i = 0; i < TRACE_NESTS; i++) {
		nest_release(&trace->nest[i].nest);
		free(trace->nest[i].scope);
	}
	async_scopes_release(&trace->async);
	map_release(&trace->forward);
	map_release(&trace->called);
	free(trace->moment);
}

uint64_t trace_operator_id(const struct trace *trace, uint32_t thread)
{
	const struct trace_nest *nest = &trace->nest[NEST_OPERATORS];
	uint32_t at = nest_innermost(&nest->nest, thread);

	return at == NEST_NONE ? 0 : nest->scope[at].id;
}
