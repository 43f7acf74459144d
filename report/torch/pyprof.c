/* SPDX-License-Identifier: MIT */
/*
 * Follows operators and modules per thread. A launch notes its operator; when the kernel's work
 * comes, the kernel is written to a temporary file, sorted by start after the reading, and numbered
 * as PyProf does.
 */
#include "report/torch/pyprof.h"
#include "report/gpu/gpu_work.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/slots.h"
#include "report/base/spool.h"
#include "report/base/vast.h"
#include "report/core/coverage.h"
#include "report/scopes/scope_events.h"

#define SCOPE_FORWARD 0u /* of at::RecordScope */
#define SCOPE_BACKWARD 1u

/* Parallel to an open operator. */
struct open_op {
	struct pyprof_op op;
	uint64_t sequence, instance;
	bool is_user, is_backward, is_origin_known;
	uint32_t forward;        /* index in `forward` + 1 while it has one */
	struct pyprof_op origin; /* for a backward function: the forward operator */
	bool has_cost;           /* the cost has been computed */
	struct op_cost cost;
};

/* A forward operator whose backward function may still run. */
struct forward_op {
	struct pyprof_op op;
	uint32_t next; /* the next unused one, + 1 */
};

/* The place of a launch (deferred/deferred.h). */
struct held_call {
	struct pyprof_call call;
	uint32_t next;
};

/* What calls of one form have in common: there are few forms and many kernels. */
enum {
	FORM_NAME_SHAPES, /* two indices of names each */
	FORM_TYPES_INTEGERS,
	FORM_MODULE_FLAGS,
	FORM_LINE,
	FORM_KERNELS,
	FORM_FLOPS,
	FORM_BYTES,
	FORM_WORDS
};
struct call_form {
	uint64_t word[FORM_WORDS];
};
enum {
	FORM_IS_BACKWARD = 1,
	FORM_IS_NODE = 2,
	FORM_IS_KNOWN = 4,
	FORM_IS_PRODUCT = 8,
	FORM_HAS_BYTES = 16
};

/* A kernel that waits for those that began before it. */
struct told_kernel {
	uint64_t start_ns; /* must be first: kernels are sorted by it */
	uint64_t duration_ns, sequence, other_sequence, instance;
	uint32_t process, thread, name, device, stream;
	uint32_t form; /* index + 1 */
	uint32_t flags, grid[3], block[3];
	uint32_t nothing; /* padding to a multiple of 8 bytes */
};
enum { TOLD_HAS_CALL = 1, TOLD_USES_TENSOR_CORES = 2, TOLD_IS_HELPER = 4 };

/* The previous kernel of a process. */
struct last_kernel {
	bool is_known;
	uint64_t sequence;
	uint32_t op, sub;
};

struct pyprof_state {
	struct pyprof pyprof; /* must be first: others see only this part */
	struct source *source;
	struct run *run;
	struct nest ops, modules; /* keys are names */
	struct open_op *open;     /* parallel to the nest of operators */
	size_t open_room;
	struct forward_op *forward;
	size_t forward_count, forward_room;
	struct map
		forwards; /* process, torch's thread and sequence number, to index in `forward` */
	struct held_call *held;
	size_t held_count, held_room;
	uint32_t unused_forward, unused_held; /* + 1 */
	uint64_t instances;
	struct spool told; /* of struct told_kernel */
	struct call_form *form;
	size_t form_count, form_room;
	struct slots forms; /* their indices + 1 */
	/* of the kernels in order, up to the one that was returned last */
	struct last_kernel *last; /* by process */
	size_t last_room;
	uint8_t *having; /* by instance: number of its kernels that have its cost */
	size_t having_room;
};

static const struct pyprof_op no_op = { .name = PYPROF_NO_NAME,
					.shapes = PYPROF_NO_NAME,
					.types = PYPROF_NO_NAME,
					.integers = PYPROF_NO_NAME,
					.module = PYPROF_NO_NAME };

/* --- forward operators by their number --- */

static uint64_t pyprof_forward_key(const struct source_event *event, uint64_t thread,
				   uint64_t sequence)
{
	const uint64_t words[3] = { event->process->index, thread, sequence };

	return map_hash_bytes(words, sizeof(words), 0);
}

/* Nested operators have one number; the last one makes the node of the graph. */
static uint32_t forward_put(struct pyprof_state *mine, uint64_t key, const struct pyprof_op *op)
{
	bool added;
	struct map_entry *entry = map_put(&mine->forwards, key, &added);

	if (added && mine->unused_forward) {
		entry->value = mine->unused_forward - 1;
		mine->unused_forward = mine->forward[entry->value].next;
	} else if (added) {
		mine->forward = memory_room(mine->forward, mine->forward_count, &mine->forward_room,
					    sizeof(*mine->forward));
		entry->value = mine->forward_count++;
	}
	mine->forward[entry->value].op = *op;
	return (uint32_t)entry->value + 1;
}

/* A backward function runs once, and removes its forward operator. */
static bool forward_take(struct pyprof_state *mine, uint64_t key, struct pyprof_op *ret_op)
{
	struct map_entry *entry = map_find(&mine->forwards, key);

	if (!entry)
		return false;
	*ret_op = mine->forward[entry->value].op;
	mine->forward[entry->value].next = mine->unused_forward;
	mine->unused_forward = (uint32_t)entry->value + 1;
	map_remove(&mine->forwards, entry);
	return true;
}

/* --- operators --- */

static void join_directions(struct pyprof_state *mine, const struct source_event *event,
			    struct open_op *open)
{
	const struct evt_torch_begin_ex *begin = EVENT_AS(torch_begin_ex, &event->event);

	open->is_user = begin->scope == EVT_SCOPE_USER;
	open->is_backward = begin->scope == SCOPE_BACKWARD;
	if ((int64_t)begin->sequence < 0)
		return;
	open->sequence = begin->sequence;
	if (begin->scope == SCOPE_FORWARD)
		open->forward = forward_put(
			mine, pyprof_forward_key(event, begin->thread, begin->sequence), &open->op);
	else if (open->is_backward)
		open->is_origin_known = forward_take(
			mine, pyprof_forward_key(event, begin->forward_thread, begin->sequence),
			&open->origin);
}

static void pyprof_take_begin(void *state, const struct source_event *event, bool counts)
{
	struct pyprof_state *mine = state;
	uint32_t name = event_name(mine->source, event, event->event.value[0]);
	uint32_t scope = nest_begin(&mine->ops, event_place(event), name, false), module;
	struct open_op *open;

	(void)counts;
	if (scope == NEST_NONE)
		return;
	mine->open = memory_room(mine->open, scope, &mine->open_room, sizeof(*mine->open));
	open = &mine->open[scope];
	*open = (struct open_op){ .op = no_op,
				  .sequence = PYPROF_NO_SEQUENCE,
				  .instance = ++mine->instances };
	open->op.name = name;
	module = nest_innermost(&mine->modules, event->thread->index);
	if (module != NEST_NONE)
		open->op.module = (uint32_t)mine->modules.scope[module].key;
	open->op.line = mine->pyprof.line_kind->of(mine->pyprof.line, event);
	if (event->event.id != EVT_torch_begin)
		join_directions(mine, event, open);
}

static void pyprof_take_inputs(void *state, const struct source_event *event, bool counts)
{
	struct pyprof_state *mine = state;
	const struct evt_torch_inputs *inputs = EVENT_AS(torch_inputs, &event->event);
	uint32_t top = nest_top(&mine->ops, event->thread->index);
	struct open_op *open;

	(void)counts;
	if (top == NEST_NONE)
		return;
	open = &mine->open[top];
	open->op.shapes = event_name(mine->source, event, inputs->shapes);
	open->op.types = event_name(mine->source, event, inputs->types);
	open->op.integers = event_name(mine->source, event, inputs->integers);
	if (open->forward)
		mine->forward[open->forward - 1].op = open->op;
	mine->pyprof.inputs++;
}

static void pyprof_take_end(void *state, const struct source_event *event, bool counts)
{
	struct pyprof_state *mine = state;

	(void)counts;
	nest_end_of_event(&mine->ops, mine->source, event);
}

static void pyprof_take_module(void *state, const struct source_event *event, bool counts)
{
	struct pyprof_state *mine = state;

	(void)counts;
	if (event->event.id == EVT_torch_module_end)
		nest_end(&mine->modules, event_place(event));
	else
		nest_begin(&mine->modules, event_place(event),
			   event_name(mine->source, event, event->event.value[0]), false);
}

/* --- launches --- */

static const char *pyprof_text_of(const struct pyprof_state *mine, uint32_t name,
				  size_t *ret_length)
{
	const struct source_name *text;

	*ret_length = 0;
	if (name == PYPROF_NO_NAME)
		return NULL;
	text = source_name_at(mine->source, name);
	*ret_length = text->text ? text->length : 0;
	return text->text;
}

static const struct op_cost *pyprof_cost_of(struct pyprof_state *mine, struct open_op *open)
{
	struct op_inputs inputs;

	if (open->has_cost)
		return &open->cost;
	open->has_cost = true;
	inputs.name = pyprof_text_of(mine, open->op.name, &inputs.name_length);
	inputs.shapes = pyprof_text_of(mine, open->op.shapes, &inputs.shapes_length);
	inputs.types = pyprof_text_of(mine, open->op.types, &inputs.types_length);
	inputs.integers = pyprof_text_of(mine, open->op.integers, &inputs.integers_length);
	open->cost = inputs.name && inputs.shapes ? op_cost_of(&inputs) : (struct op_cost){ 0 };
	return &open->cost;
}

static void call_take_sequence(struct pyprof_call *call, uint64_t sequence)
{
	if (sequence == PYPROF_NO_SEQUENCE || sequence == call->sequence)
		return;
	if (call->sequence == PYPROF_NO_SEQUENCE)
		call->sequence = sequence;
	else if (call->other_sequence == PYPROF_NO_SEQUENCE)
		call->other_sequence = sequence;
}

/* A backward function is shown as its forward operator, if that was seen. */
static void call_take_backward(struct pyprof_call *call, const struct open_op *open)
{
	call->is_backward = true;
	call->op = open->is_origin_known ? open->origin : open->op;
	call->is_node = !open->is_origin_known;
}

/* Searches from the innermost operator outwards. */
static struct pyprof_call call_of_thread(struct pyprof_state *mine, uint32_t thread)
{
	struct pyprof_call call = { .op = no_op,
				    .sequence = PYPROF_NO_SEQUENCE,
				    .other_sequence = PYPROF_NO_SEQUENCE };
	uint32_t at = nest_innermost(&mine->ops, thread);

	for (; at != NEST_NONE; at = nest_outer(&mine->ops, at)) {
		struct open_op *open = &mine->open[at];

		if (open->is_user)
			continue;
		call_take_sequence(&call, open->sequence);
		if (!call.cost.is_known && pyprof_cost_of(mine, open)->is_known) {
			call.cost = open->cost;
			call.instance = open->instance;
		}
		if (call.op.name == PYPROF_NO_NAME)
			call.op = open->op;
		if (open->is_backward && !call.is_backward)
			call_take_backward(&call, open);
	}
	return call;
}

static uint64_t pyprof_place_of(void *state, const struct source_event *event, bool counts)
{
	struct pyprof_state *mine = state;
	uint32_t at = mine->unused_held;
	struct pyprof_call *call;

	if (!counts)
		return DEFERRED_NOTHING;
	if (at) {
		mine->unused_held = mine->held[at - 1].next;
	} else {
		mine->held = memory_room(mine->held, mine->held_count, &mine->held_room,
					 sizeof(*mine->held));
		at = (uint32_t)++mine->held_count;
	}
	call = &mine->held[at - 1].call;
	*call = call_of_thread(mine, event->thread->index);
	if (!call->is_backward) {
		uint64_t line = mine->pyprof.line_kind->of(mine->pyprof.line, event);
		uint32_t module = nest_innermost(&mine->modules, event->thread->index);

		call->op.line = line ? line : call->op.line;
		if (module != NEST_NONE)
			call->op.module = (uint32_t)mine->modules.scope[module].key;
	}
	return at;
}

static void drop_place(void *state, uint64_t place, bool had_work)
{
	struct pyprof_state *mine = state;

	(void)had_work;
	if (place == DEFERRED_NOTHING)
		return;
	mine->held[place - 1].next = mine->unused_held;
	mine->unused_held = (uint32_t)place;
}

static uint64_t pyprof_two_words(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

static struct call_form pyprof_form_of(const struct pyprof_call *call)
{
	const struct pyprof_op *op = &call->op;
	const struct op_cost *cost = &call->cost;
	uint32_t flags = (call->is_backward ? FORM_IS_BACKWARD : 0) |
			 (call->is_node ? FORM_IS_NODE : 0) | (cost->is_known ? FORM_IS_KNOWN : 0) |
			 (cost->is_product ? FORM_IS_PRODUCT : 0) |
			 (cost->has_bytes ? FORM_HAS_BYTES : 0);

	return (struct call_form){ { [FORM_NAME_SHAPES] = pyprof_two_words(op->name, op->shapes),
				     [FORM_TYPES_INTEGERS] = pyprof_two_words(op->types,
									      op->integers),
				     [FORM_MODULE_FLAGS] = pyprof_two_words(op->module, flags),
				     [FORM_LINE] = op->line,
				     [FORM_KERNELS] = cost->kernels,
				     [FORM_FLOPS] = cost->flops,
				     [FORM_BYTES] = cost->bytes } };
}

/* All parts except the numbers of the call itself. */
static struct pyprof_call form_call(const struct call_form *form)
{
	const uint64_t *word = form->word;
	uint64_t flags = word[FORM_MODULE_FLAGS];

	return (struct pyprof_call){
		.op = { .name = (uint32_t)(word[FORM_NAME_SHAPES] >> 32),
			.shapes = (uint32_t)word[FORM_NAME_SHAPES],
			.types = (uint32_t)(word[FORM_TYPES_INTEGERS] >> 32),
			.integers = (uint32_t)word[FORM_TYPES_INTEGERS],
			.module = (uint32_t)(flags >> 32),
			.line = word[FORM_LINE] },
		.cost = { .is_known = flags & FORM_IS_KNOWN,
			  .is_product = flags & FORM_IS_PRODUCT,
			  .has_bytes = flags & FORM_HAS_BYTES,
			  .kernels = (unsigned int)word[FORM_KERNELS],
			  .flops = word[FORM_FLOPS],
			  .bytes = word[FORM_BYTES] },
		.is_backward = flags & FORM_IS_BACKWARD,
		.is_node = flags & FORM_IS_NODE,
	};
}

static bool form_is(const void *owner, uint32_t number, const void *wanted)
{
	const struct pyprof_state *mine = owner;

	return !memcmp(&mine->form[number - 1], wanted, sizeof(struct call_form));
}

static uint32_t *form_slot(const struct pyprof_state *mine, const struct call_form *form)
{
	return slots_find(&mine->forms, map_hash_bytes(form, sizeof(*form), 0), form_is, mine,
			  form);
}

/* Returns its index + 1. */
static uint32_t form_put(struct pyprof_state *mine, const struct pyprof_call *call)
{
	const struct call_form form = pyprof_form_of(call);
	uint32_t *slot;

	if (slots_are_full(&mine->forms)) {
		slots_expand(&mine->forms);
		for (size_t i = 0; i < mine->form_count; i++)
			*form_slot(mine, &mine->form[i]) = (uint32_t)i + 1;
	}
	slot = form_slot(mine, &form);
	if (!*slot) {
		mine->form = vast_room(mine->form, mine->form_count, &mine->form_room,
				       sizeof(*mine->form));
		mine->form[mine->form_count++] = form;
		mine->forms.used++;
		*slot = (uint32_t)mine->form_count;
	}
	return *slot;
}

static void pyprof_take_work(void *state, uint64_t place, const struct deferred_work *work)
{
	const struct gpu_work *piece = gpu_work_of(work);
	struct pyprof_state *mine = state;
	struct pyprof_call call = { .op = no_op,
				    .sequence = PYPROF_NO_SEQUENCE,
				    .other_sequence = PYPROF_NO_SEQUENCE };
	struct told_kernel told;

	if (piece->kind != GPU_WORK_KERNEL || (!work->has_call && coverage_needs_call(mine->run)))
		return;
	if (place != DEFERRED_NOTHING)
		call = mine->held[place - 1].call;
	told = (struct told_kernel){
		.start_ns = work->start_ns,
		.duration_ns = work->duration_ns,
		.sequence = call.sequence,
		.other_sequence = call.other_sequence,
		.instance = call.instance,
		.process = work->process,
		.thread = work->thread,
		.name = piece->what,
		.device = piece->device,
		.stream = piece->stream,
		.form = form_put(mine, &call),
		.flags = (work->has_call ? TOLD_HAS_CALL : 0) |
			 (piece->uses_tensor_cores ? TOLD_USES_TENSOR_CORES : 0) |
			 (piece->is_helper ? TOLD_IS_HELPER : 0),
		.grid = { piece->grid[0], piece->grid[1], piece->grid[2] },
		.block = { piece->block[0], piece->block[1], piece->block[2] },
	};
	spool_put(&mine->told, &told);
	mine->pyprof.count++;
}

/* --- after the reading --- */

/* PyProf's number of a kernel among consecutive kernels of one operator and sequence number. */
static uint32_t next_sub(struct pyprof_state *mine, const struct told_kernel *told, uint32_t op)
{
	struct last_kernel *last;

	mine->last = memory_room(mine->last, told->process, &mine->last_room, sizeof(*mine->last));
	last = &mine->last[told->process];
	if (last->is_known && last->sequence == told->sequence && last->op == op &&
	    told->sequence != PYPROF_NO_SEQUENCE)
		last->sub++;
	else
		*last = (struct last_kernel){ .is_known = true,
					      .sequence = told->sequence,
					      .op = op };
	return last->sub;
}

/* The first kernels of an operator that are no helpers do its work. */
static bool takes_cost(struct pyprof_state *mine, const struct op_cost *cost, uint64_t instance,
		       bool is_helper)
{
	uint8_t *having;

	if (!cost->is_known || (cost->is_product && is_helper))
		return false;
	mine->having = vast_room(mine->having, instance, &mine->having_room, 1);
	having = &mine->having[instance];
	if (*having >= cost->kernels || *having == UINT8_MAX)
		return false;
	++*having;
	return true;
}

void pyprof_rewind(struct pyprof *pyprof)
{
	struct pyprof_state *mine = (struct pyprof_state *)pyprof;

	spool_rewind(&mine->told);
	if (mine->last)
		memset(mine->last, 0, mine->last_room * sizeof(*mine->last));
	if (mine->having)
		memset(mine->having, 0, mine->having_room);
}

bool pyprof_next(struct pyprof *pyprof, struct pyprof_kernel *ret_kernel)
{
	struct pyprof_state *mine = (struct pyprof_state *)pyprof;
	const struct told_kernel *told = spool_next(&mine->told);

	if (!told)
		return false;
	*ret_kernel = (struct pyprof_kernel){
		.duration_ns = told->duration_ns,
		.process = told->process,
		.thread = told->thread,
		.name = told->name,
		.device = told->device,
		.stream = told->stream,
		.grid = { told->grid[0], told->grid[1], told->grid[2] },
		.block = { told->block[0], told->block[1], told->block[2] },
		.has_call = told->flags & TOLD_HAS_CALL,
		.uses_tensor_cores = told->flags & TOLD_USES_TENSOR_CORES,
		.is_helper = told->flags & TOLD_IS_HELPER,
		.call = form_call(&mine->form[told->form - 1]),
	};
	ret_kernel->call.sequence = told->sequence;
	ret_kernel->call.other_sequence = told->other_sequence;
	ret_kernel->call.instance = told->instance;
	ret_kernel->sub = next_sub(mine, told, ret_kernel->call.op.name);
	ret_kernel->has_its_cost = takes_cost(mine, &ret_kernel->call.cost, told->instance,
					      ret_kernel->is_helper);
	return true;
}

static void pyprof_finish(void *state)
{
	struct pyprof *pyprof = state;
	struct pyprof_kernel kernel;

	pyprof_rewind(pyprof);
	while (pyprof_next(pyprof, &kernel)) {
		pyprof->total_ns += kernel.duration_ns;
		pyprof->backward_ns += kernel.call.is_backward ? kernel.duration_ns : 0;
		pyprof->tensor_core_ns += kernel.uses_tensor_cores ? kernel.duration_ns : 0;
		pyprof->flops += kernel.has_its_cost ? kernel.call.cost.flops : 0;
	}
}

/* --- the analysis --- */

static void pyprof_start(void *state, struct run *run, const void *options)
{
	static const struct deferred_listener listener = { .place = pyprof_place_of,
							   .take = pyprof_take_work,
							   .drop = drop_place,
							   .takes_uncorrelated = true };
	struct pyprof_state *mine = state;

	(void)options;
	mine->run = run;
	spool_init(&mine->told, sizeof(struct told_kernel));
	mine->source = run_source(run);
	nest_init(&mine->ops, (struct nest_options){ 0 }, NULL, NULL);
	nest_init(&mine->modules, (struct nest_options){ 0 }, NULL, NULL);
	map_init(&mine->forwards);
	mine->pyprof.line_kind = &key_kind_python;
	mine->pyprof.line = key_kind_python.start(run);
	mine->pyprof.deferred = deferred_want(run);
	deferred_listen(mine->pyprof.deferred, &listener, mine);
	run_reads_scopes(run, EVT_SCOPE_KIND_operator, FIELDS_ALL, pyprof_take_begin,
			 pyprof_take_end, mine);
	run_reads(run, EVT_torch_inputs, FIELDS_ALL, pyprof_take_inputs, mine);
	run_reads(run, EVT_torch_module_begin, FIELDS_ALL, pyprof_take_module, mine);
	run_reads(run, EVT_torch_module_end, 0, pyprof_take_module, mine);
	run_seeks(run, state);
}

static void pyprof_cut(void *state, const struct cut *cut)
{
	struct pyprof_state *mine = state;

	if (!cut->thread)
		return;
	nest_cut(&mine->ops, cut_place(cut), cut_ending(cut));
	nest_cut(&mine->modules, cut_place(cut), cut_ending(cut));
}

static void pyprof_release(void *state)
{
	struct pyprof_state *mine = state;

	nest_release(&mine->ops);
	nest_release(&mine->modules);
	map_release(&mine->forwards);
	free(mine->open);
	free(mine->forward);
	free(mine->held);
	spool_release(&mine->told);
	vast_release(mine->form, mine->form_room, sizeof(*mine->form));
	slots_release(&mine->forms);
	free(mine->last);
	vast_release(mine->having, mine->having_room, 1);
}

const struct analysis_kind analysis_pyprof = {
	.name = "pyprof",
	.state_bytes = sizeof(struct pyprof_state),
	.options_bytes = sizeof(struct pyprof_options),
	.start = pyprof_start,
	.cut = pyprof_cut,
	.finish = pyprof_finish,
	.release = pyprof_release,
};
