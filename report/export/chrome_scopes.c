/* SPDX-License-Identifier: MIT */
/* What opens and closes on threads, as events of a trace: operators, labels, ranges, modules and actions. See chrome.h. */
#include "report/export/chrome.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/base/memory.h"

#define STEP_LABEL "ProfilerStep#"
#define MODULE_LABEL "nn.Module: " /* how viewers know a module */
#define MODULE_NAME_MAX 4096u
#define TYPES_MAX 2048u
#define FORWARDS_MAX \
	(1u << 20) /* forward operators whose backward has not come: then they are forgotten */

struct chrome_forward {
	uint64_t time_ns;
	uint32_t thread; /* of an unused one: the next unused */
};

/* --- ends --- */

static const char *category_of(const struct chrome_nest *nest, const struct chrome_scope *scope)
{
	if (nest->id == CHROME_MODULES)
		return "python_function";
	return nest->id == CHROME_OPERATORS && !scope->is_user ? "cpu_op" : "user_annotation";
}

/* [[2, 3], []] as it is, anything else as a text. */
static void put_dims(struct trace_file *file, struct trace_text text)
{
	for (size_t i = 0; i < text.length; i++)
		if (!strchr("0123456789[], ", text.text[i]) || !text.text[i]) {
			trace_argument_text(file, "Input Dims", text);
			return;
		}
	if (text.length > 1 && text.text[0] == '[' && text.text[text.length - 1] == ']')
		trace_argument_json(file, "Input Dims", text);
	else
		trace_argument_text(file, "Input Dims", text);
}

/* ['float', 'int'] as a list, anything else as a text. */
static void put_types(struct trace_file *file, struct trace_text text)
{
	char json[TYPES_MAX];

	for (size_t i = 0; i < text.length; i++) {
		char byte = text.text[i];
		bool is_plain = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
				(byte >= 'A' && byte <= 'Z') || (byte && strchr("[]', _:<>", byte));

		if (!is_plain || text.length > TYPES_MAX) {
			trace_argument_text(file, "Input type", text);
			return;
		}
		json[i] = byte == '\'' ? '"' : byte;
	}
	if (text.length > 1 && json[0] == '[' && json[text.length - 1] == ']')
		trace_argument_json(file, "Input type", (struct trace_text){ json, text.length });
	else
		trace_argument_text(file, "Input type", text);
}

static void put_operator(const struct chrome *chrome, struct trace_file *file,
			 const struct chrome_scope *scope)
{
	struct trace_text text;

	trace_argument_number(file, "External id", scope->id);
	if (scope->sequence >= 0)
		trace_argument_signed(file, "Sequence number", scope->sequence);
	if (scope->forward_thread)
		trace_argument_number(file, "Fwd thread id", scope->forward_thread);
	if (scope->shapes) {
		text.text = name_text(source_name_at(chrome->source, scope->shapes), &text.length);
		put_dims(file, text);
	}
	if (scope->types) {
		text.text = name_text(source_name_at(chrome->source, scope->types), &text.length);
		put_types(file, text);
	}
}

/* As torch.profiler writes modules, which its viewers find by these. */
static void put_module(struct trace_file *file, const struct chrome_scope *scope)
{
	trace_argument_number(file, "Python id", scope->id);
	if (scope->parent)
		trace_argument_number(file, "Python parent id", scope->parent);
	trace_argument_number(file, "Python module id", scope->name);
}

static struct trace_text module_name(char name[MODULE_NAME_MAX], struct trace_text json)
{
	int length = snprintf(name, MODULE_NAME_MAX, "\"" MODULE_LABEL "%.*s", (int)json.length - 1,
			      json.text + 1);

	return length < (int)MODULE_NAME_MAX ? (struct trace_text){ name, (size_t)length } : json;
}

static void put_arguments(const struct chrome_nest *nest, struct trace_file *file,
			  const struct chrome_scope *scope)
{
	if (nest->id == CHROME_OPERATORS && !scope->is_user)
		put_operator(nest->chrome, file, scope);
	else if (nest->id == CHROME_MODULES)
		put_module(file, scope);
}

/* Spans of a line may only nest in JSON: one that crosses others is on a line of its own. */
static void put_crossing_end(struct chrome *chrome, const struct source_thread *thread,
			     struct chrome_place place)
{
	struct trace_file *file;

	place.phase = 'e';
	place.time_ns += place.duration_ns;
	file = chrome_begin(chrome, thread, &place);
	if (!file)
		return;
	trace_end(file);
	file->events--;
}

static void scope_ended(void *state, const struct nest_end *end)
{
	struct chrome_nest *nest = state;
	struct chrome *chrome = nest->chrome;
	const struct chrome_scope *scope = &nest->scope[end->scope];
	const struct source_thread *thread = chrome_thread(chrome, end->thread);
	struct chrome_place place = { .phase = end->how == NEST_RUNS_ON ? 'B' : 'X',
				      .time_ns = end->time_ns - end->total_ns,
				      .duration_ns = end->total_ns,
				      .is_cut = end->how == NEST_CUT };
	bool crosses = end->overlaps && end->how == NEST_ENDS && !chrome->writer;
	struct trace_file *file;
	char name[MODULE_NAME_MAX];

	if (!scope->counts || !thread)
		return;
	if (crosses) {
		place.phase = 'b';
		place.id = ++chrome->ids;
	}
	place.category = category_of(nest, scope);
	place.name = chrome_json(chrome, scope->name);
	if (nest->id == CHROME_MODULES)
		place.name = module_name(name, place.name);
	file = chrome_begin(chrome, thread, &place);
	if (!file)
		return;
	put_arguments(nest, file, scope);
	trace_end(file);
	if (crosses)
		put_crossing_end(chrome, thread, place);
}

/* --- begins --- */

static struct chrome_scope *scope_begin(struct chrome *chrome, enum chrome_nest_id id,
					const struct source_event *event, uint64_t key, bool hidden)
{
	struct chrome_nest *nest = &chrome->nest[id];
	uint32_t at = nest_begin(&nest->nest, event_place(event), key, hidden);
	uint32_t parent;

	if (at == NEST_NONE)
		return NULL;
	if (at >= nest->room)
		nest->scope = memory_room(nest->scope, at, &nest->room, sizeof(*nest->scope));
	parent = nest->nest.scope[at].parent;
	nest->scope[at] = (struct chrome_scope){
		.sequence = -1,
		.id = ++chrome->ids,
		.parent = parent == NEST_NONE ? 0 : nest->scope[parent].id,
	};
	return &nest->scope[at];
}

static uint64_t forward_key(const struct source_event *event, uint64_t thread, int64_t sequence)
{
	return (uint64_t)(event->process->index + 1) << 48 ^ thread << 36 ^ (uint64_t)sequence;
}

/* Of the operators with a number the one that began last has made the backward function. */
static void note_forward(struct chrome *chrome, const struct source_event *event,
			 const struct evt_torch_begin_ex *begin)
{
	struct map_entry *entry;
	bool added;

	if (chrome->forward.count >= FORWARDS_MAX) {
		map_clear(&chrome->forward);
		chrome->moments = 0;
		chrome->moment_unused = NEST_NONE;
	}
	entry = map_put(&chrome->forward, forward_key(event, begin->thread, begin->sequence),
			&added);
	if (added && chrome->moment_unused != NEST_NONE) {
		entry->value = chrome->moment_unused;
		chrome->moment_unused = chrome->moment[entry->value].thread;
	} else if (added) {
		chrome->moment = memory_room(chrome->moment, chrome->moments, &chrome->moment_room,
					     sizeof(*chrome->moment));
		entry->value = chrome->moments++;
	}
	chrome->moment[entry->value] = (struct chrome_forward){ event->event.time_ns,
								event->thread->index };
}

static void put_flow(struct chrome *chrome, const struct source_thread *thread, char phase,
		     uint64_t time_ns)
{
	struct trace_file *file = chrome_begin(chrome, thread,
					       &(struct chrome_place){
						       .phase = phase,
						       .category = "fwdbwd",
						       .name = TRACE_TEXT("\"fwdbwd\""),
						       .time_ns = time_ns,
						       .id = chrome->flows,
					       });

	if (file)
		trace_end(file);
}

static void join_backward(struct chrome *chrome, const struct source_event *event,
			  const struct evt_torch_begin_ex *begin)
{
	struct map_entry *entry = map_find(
		&chrome->forward, forward_key(event, begin->forward_thread, begin->sequence));
	const struct source_thread *thread;
	struct chrome_forward forward;

	if (!entry)
		return;
	forward = chrome->moment[entry->value];
	thread = chrome_thread(chrome, forward.thread);
	chrome->moment[entry->value].thread = chrome->moment_unused;
	chrome->moment_unused = (uint32_t)entry->value;
	map_remove(&chrome->forward, entry);
	if (!thread)
		return;
	chrome->flows++;
	put_flow(chrome, thread, 's', forward.time_ns);
	put_flow(chrome, event->thread, 'f', event->event.time_ns);
}

static void note_step(struct chrome *chrome, const struct source_event *event, uint32_t name)
{
	size_t length;
	const char *text = name_text(source_name_at(chrome->source, name), &length);

	if (length < strlen(STEP_LABEL) || memcmp(text, STEP_LABEL, strlen(STEP_LABEL)) != 0)
		return;
	chrome_pid(chrome, event->process); /* makes room */
	chrome->has_steps[event->process->index] = true;
}

static void take_operator(void *state, const struct source_event *event, bool counts)
{
	struct chrome *chrome = state;
	const struct evt_torch_begin_ex *begin = EVENT_AS(torch_begin_ex, &event->event);
	bool is_ex = event->event.id != EVT_torch_begin, hidden = chrome->naming->is_hidden;
	uint32_t name = event_name(chrome->source, event, event->event.value[0]);
	struct chrome_scope *scope = scope_begin(chrome, CHROME_OPERATORS, event, name, hidden);

	if (!scope)
		return;
	scope->name = name;
	scope->counts = counts && !hidden;
	if (!is_ex)
		return;
	scope->is_user = begin->scope == EVT_SCOPE_USER;
	scope->sequence = (int64_t)begin->sequence;
	scope->forward_thread = begin->forward_thread;
	if (scope->is_user)
		note_step(chrome, event, name);
	else if (scope->counts && scope->sequence >= 0 && begin->scope == 1)
		join_backward(chrome, event, begin);
	else if (scope->counts && scope->sequence >= 0)
		note_forward(chrome, event, begin);
}

static void take_inputs(void *state, const struct source_event *event, bool counts)
{
	struct chrome *chrome = state;
	struct chrome_nest *nest = &chrome->nest[CHROME_OPERATORS];
	const struct evt_torch_inputs *inputs = EVENT_AS(torch_inputs, &event->event);
	uint32_t at = nest_top(&nest->nest, event->thread->index);

	(void)counts;
	if (at == NEST_NONE)
		return;
	nest->scope[at].shapes = event_name(chrome->source, event, inputs->shapes);
	nest->scope[at].types = event_name(chrome->source, event, inputs->types);
}

static void take_operator_end(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	nest_end(&((struct chrome *)state)->nest[CHROME_OPERATORS].nest, event_place(event));
}

static void take_label_end(void *state, const struct source_event *event, bool counts)
{
	struct chrome *chrome = state;
	const struct evt_torch_end_ex *end = EVENT_AS(torch_end_ex, &event->event);

	(void)counts;
	nest_end_named(&chrome->nest[CHROME_OPERATORS].nest, event_place(event),
		       event_name(chrome->source, event, end->name), end->thread != 0);
}

static void take_async_begin(void *state, const struct source_event *event, bool counts)
{
	struct chrome *chrome = state;

	async_scopes_begin(&chrome->async, EVENT_AS(torch_async_begin, &event->event)->function,
			   &(struct async_scope){
				   .place = event_place(event),
				   .key = event_name(chrome->source, event, event->event.value[0]),
				   .counts = counts && !chrome->naming->is_hidden });
}

static void put_async(struct chrome *chrome, const struct async_scope *scope, uint64_t end_ns,
		      enum nest_ending how)
{
	const struct source_thread *thread = chrome_thread(chrome, scope->place.thread);
	struct trace_file *file;

	if (!scope->counts || !thread || end_ns < scope->place.time_ns)
		return;
	file = chrome_begin(chrome, thread,
			    &(struct chrome_place){ .phase = how == NEST_RUNS_ON ? 'B' : 'X',
						    .category = "user_annotation",
						    .name = chrome_json(chrome, scope->key),
						    .time_ns = scope->place.time_ns,
						    .duration_ns = end_ns - scope->place.time_ns,
						    .is_cut = how == NEST_CUT });
	if (file)
		trace_end(file);
}

static void take_async_end(void *state, const struct source_event *event, bool counts)
{
	struct chrome *chrome = state;
	struct async_scope scope;

	(void)counts;
	if (async_scopes_end(&chrome->async, event->process->index,
			     EVENT_AS(torch_async_end, &event->event)->function, &scope))
		put_async(chrome, &scope, event->event.time_ns, NEST_ENDS);
}

/* --- ranges, modules, actions --- */

static void take_push(void *state, const struct source_event *event, bool counts)
{
	struct chrome *chrome = state;
	uint32_t domain = event_name(chrome->source, event, event->event.value[0]);
	struct chrome_scope *scope = scope_begin(chrome, CHROME_RANGES, event, domain, false);

	scope->name = event_name(chrome->source, event, event->event.value[1]);
	scope->counts = counts;
}

static void take_pop(void *state, const struct source_event *event, bool counts)
{
	struct chrome *chrome = state;

	(void)counts;
	nest_end_key(&chrome->nest[CHROME_RANGES].nest, event_place(event),
		     event_name(chrome->source, event, event->event.value[0]));
}

/* A module or an action. */
static void take_named(struct chrome *chrome, const struct source_event *event, bool counts,
		       enum chrome_nest_id id)
{
	uint32_t name = event_name(chrome->source, event, event->event.value[0]);
	struct chrome_scope *scope = scope_begin(chrome, id, event, name, false);

	scope->name = name;
	scope->counts = counts;
}

static void take_module(void *state, const struct source_event *event, bool counts)
{
	take_named(state, event, counts, CHROME_MODULES);
}

static void take_module_end(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	nest_end(&((struct chrome *)state)->nest[CHROME_MODULES].nest, event_place(event));
}

static void take_action(void *state, const struct source_event *event, bool counts)
{
	take_named(state, event, counts, CHROME_ACTIONS);
}

static void take_action_end(void *state, const struct source_event *event, bool counts)
{
	struct chrome *chrome = state;

	(void)counts;
	nest_end_key(&chrome->nest[CHROME_ACTIONS].nest, event_place(event),
		     event_name(chrome->source, event, event->event.value[0]));
}

/* --- for the analysis --- */

static void read_operators(struct chrome *chrome, struct run *run)
{
	chrome->naming = operator_naming_want(run, NULL);
	run_reads(run, EVT_torch_begin, FIELDS_ALL, take_operator, chrome);
	run_reads(run, EVT_torch_begin_ex, FIELDS_ALL, take_operator, chrome);
	run_reads(run, EVT_torch_begin_id, FIELDS_ALL, take_operator, chrome);
	run_reads(run, EVT_torch_inputs, FIELDS_ALL, take_inputs, chrome);
	run_reads(run, EVT_torch_end, 0, take_operator_end, chrome);
	run_reads(run, EVT_torch_end_outer, 0, take_operator_end, chrome);
	run_reads(run, EVT_torch_end_ex, FIELDS_ALL, take_label_end, chrome);
	run_reads(run, EVT_torch_end_id, FIELDS_ALL, take_label_end, chrome);
	run_reads(run, EVT_torch_async_begin, FIELDS_ALL, take_async_begin, chrome);
	run_reads(run, EVT_torch_async_end, FIELDS_ALL, take_async_end, chrome);
}

void chrome_scopes_start(struct chrome *chrome, struct run *run)
{
	for (unsigned int i = 0; i < CHROME_NESTS; i++) {
		struct chrome_nest *nest = &chrome->nest[i];

		nest->chrome = chrome;
		nest->id = (enum chrome_nest_id)i;
		nest_init(&nest->nest, (struct nest_options){ .is_keyed = i == CHROME_RANGES },
			  scope_ended, nest);
	}
	async_scopes_init(&chrome->async);
	map_init(&chrome->forward);
	chrome->moment_unused = NEST_NONE;
	read_operators(chrome, run);
	run_reads(run, EVT_nvtx_push, FIELDS_ALL, take_push, chrome);
	run_reads(run, EVT_nvtx_push_ex, FIELD_BIT(nvtx_push, domain) | FIELD_BIT(nvtx_push, name),
		  take_push, chrome);
	run_reads(run, EVT_nvtx_pop, FIELDS_ALL, take_pop, chrome);
	run_reads(run, EVT_torch_module_begin, FIELDS_ALL, take_module, chrome);
	run_reads(run, EVT_torch_module_end, 0, take_module_end, chrome);
	run_reads(run, EVT_action_begin, FIELDS_ALL, take_action, chrome);
	run_reads(run, EVT_action_end, FIELDS_ALL, take_action_end, chrome);
}

void chrome_scopes_cut(struct chrome *chrome, const struct cut *cut)
{
	for (unsigned int i = 0; i < CHROME_NESTS; i++)
		nest_cut(&chrome->nest[i].nest, cut_place(cut), cut_ending(cut));
}

struct async_cut {
	struct chrome *chrome;
	const struct cut *cut;
};

static void cut_async(void *state, const struct async_scope *scope)
{
	struct async_cut *mine = state;

	put_async(mine->chrome, scope, mine->cut->time_ns, cut_ending(mine->cut));
}

void chrome_scopes_cut_process(struct chrome *chrome, const struct cut *cut)
{
	async_scopes_cut(&chrome->async, cut->process->index, cut_async,
			 &(struct async_cut){ chrome, cut });
}

void chrome_scopes_release(struct chrome *chrome)
{
	for (unsigned int i = 0; i < CHROME_NESTS; i++) {
		nest_release(&chrome->nest[i].nest);
		free(chrome->nest[i].scope);
	}
	async_scopes_release(&chrome->async);
	map_release(&chrome->forward);
	free(chrome->moment);
}

uint64_t chrome_operator_id(const struct chrome *chrome, uint32_t thread)
{
	const struct chrome_nest *nest = &chrome->nest[CHROME_OPERATORS];
	uint32_t at = nest_innermost(&nest->nest, thread);

	return at == NEST_NONE ? 0 : nest->scope[at].id;
}
