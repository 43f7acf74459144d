/* SPDX-License-Identifier: MIT */
/*
 * Follows all operators of each thread, because their ends do not say what ends. autograd's engine
 * opens a scope (evaluate_function) around each backward function. What the engine does there
 * belongs to the same module, so the module's scope begins with the engine's, as soon as the
 * function is known. A gradient is accumulated right after the function that computed it, on the
 * same thread, so AccumulateGrad belongs to the module of that function.
 */
#include "report/modules/module_events.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/deferred/deferred.h"
#include "report/helpers/helpers.h"
#include "report/scopes/scope_events.h"
#include "report/torch/counted_flops.h"
#include "report/torch/shapes.h"

#define SCOPE_FORWARD 0u /* of at::RecordScope */
#define SCOPE_BACKWARD 1u
#define ENGINE "autograd::engine::evaluate_function"
#define ACCUMULATES "AccumulateGrad"
#define COMPILED "Torch-Compiled Region"
#define SHARDED "FSDP::"                    /* fully_shard() */
#define WRAPPED "FullyShardedDataParallel." /* the class */
#define MODE "PythonDispatchMode"
#define SUBCLASS "PythonSubclass"
#define INPUTS_MOST 8u /* a result stands no later */

/* Parallel to an open operator. */
struct module_op {
	bool is_engine;
	bool is_entered; /* a scope of modules began with it */
	bool counts;
	bool has_allocated;  /* a tensor */
	bool is_within_mode; /* called by Python that took an operator's place */
	bool is_given_result;
	uint64_t began_ns, flops;
	struct work work; /* of the thread, when a scope of the engine began */
};

/* What is known of a name, once it was looked at. */
enum name_kind {
	NAME_UNSEEN,
	NAME_PLAIN,
	NAME_ENGINE,
	NAME_ACCUMULATES,
	NAME_COMPILED,
	NAME_SHARDED,
	NAME_MODE
};

struct module_state {
	struct modules modules; /* first member: it is what others see */
	struct source *source;
	struct works *works; /* NULL: no counters are wanted */
	const struct helpers *helpers;
	struct nest ops; /* keys are names */
	struct module_op *op;
	size_t op_room;
	uint8_t *name_kind; /* by index of a name */
	size_t name_room;
	uint32_t *last; /* by thread: the module of its last backward function, + 1 */
	size_t last_room;
	const struct source_thread *thread; /* whose operators end */
	bool is_cutting;
	bool has_sequences, is_sampled, has_tensors;
};

/* --- moments --- */

static struct module_moment module_moment_of(const struct module_state *mine,
					     struct nest_place place,
					     const struct source_thread *thread)
{
	struct module_moment moment = { .place = place };

	if (mine->works)
		moment.work = works_of_thread(mine->works, thread);
	return moment;
}

static struct module_moment module_events_moment(const struct module_state *mine,
						 const struct source_event *event)
{
	return module_moment_of(mine, event_place(event), event->thread);
}

/* --- calls --- */

static void module_events_take_begin(void *state, const struct source_event *event, bool counts)
{
	struct module_state *mine = state;
	const struct evt_torch_module_begin *begin = EVENT_AS(torch_module_begin, &event->event);
	struct module_moment moment = module_events_moment(mine, event);

	module_scopes_call(&mine->modules.scopes, &moment,
			   event_name(mine->source, event, begin->name), counts);
}

static void module_events_take_end(void *state, const struct source_event *event, bool counts)
{
	struct module_state *mine = state;
	struct module_moment moment = module_events_moment(mine, event);

	(void)counts;
	module_scopes_return(&mine->modules.scopes, &moment);
}

/* --- operators --- */

static bool name_begins(const struct source_name *name, const char *begin)
{
	return name->text && name->length >= strlen(begin) &&
	       !memcmp(name->text, begin, strlen(begin));
}

static enum name_kind name_kind_look(const struct source_name *name)
{
	if (name_begins(name, COMPILED))
		return NAME_COMPILED;
	if (name_begins(name, SHARDED) || name_begins(name, WRAPPED))
		return NAME_SHARDED;
	if (name_begins(name, MODE) || name_begins(name, SUBCLASS))
		return NAME_MODE;
	if (!name_begins(name, ENGINE))
		return NAME_PLAIN;
	return memmem(name->text, name->length, ACCUMULATES, strlen(ACCUMULATES)) ? NAME_ACCUMULATES
										  : NAME_ENGINE;
}

static enum name_kind name_kind_of(struct module_state *mine, uint32_t name)
{
	mine->name_kind = memory_room(mine->name_kind, name, &mine->name_room,
				      sizeof(*mine->name_kind));
	if (mine->name_kind[name] == NAME_UNSEEN)
		mine->name_kind[name] = name_kind_look(source_name_at(mine->source, name));
	return mine->name_kind[name];
}

static uint32_t *module_events_last(struct module_state *mine, uint32_t thread)
{
	mine->last = memory_room(mine->last, thread, &mine->last_room, sizeof(*mine->last));
	return &mine->last[thread];
}

/* The operator `scope` begins a scope of modules: now, or when it began. */
static void module_events_enter(struct module_state *mine, const struct source_event *event,
				uint32_t scope, uint32_t row, bool counts)
{
	struct module_moment moment = module_events_moment(mine, event);
	struct module_op *op = &mine->op[scope];

	if (op->began_ns < moment.place.time_ns &&
	    module_scopes_added_ns(&mine->modules.scopes, event->thread->index) <= op->began_ns) {
		moment.place.time_ns = op->began_ns;
		moment.work = op->work;
	}
	op->is_entered = true;
	mine->modules.backward_elsewhere += row == MODULE_NONE && counts;
	module_scopes_begin_backward(&mine->modules.scopes, &moment, row, counts);
}

static void module_events_take_backward(struct module_state *mine, const struct source_event *event,
					uint32_t scope, bool counts)
{
	const struct evt_torch_begin_ex *begin = EVENT_AS(torch_begin_ex, &event->event);
	struct autograd_node node = { event->process->index, begin->forward_thread,
				      begin->sequence };
	uint32_t around = mine->ops.scope[scope].parent, row = MODULE_NONE;

	if ((int64_t)begin->sequence < 0)
		return;
	mine->has_sequences = true;
	(void)autograd_nodes_find(&mine->modules.nodes, node, &row);
	if (around != NEST_NONE && mine->op[around].is_engine) {
		if (mine->op[around].is_entered)
			return;
		scope = around;
	}
	*module_events_last(mine, event->thread->index) = row == MODULE_NONE ? 0 : row + 1;
	module_events_enter(mine, event, scope, row, counts);
}

static void module_events_take_forward(struct module_state *mine, const struct source_event *event)
{
	const struct evt_torch_begin_ex *begin = EVENT_AS(torch_begin_ex, &event->event);
	const struct module_scope *top = module_scopes_top(&mine->modules.scopes,
							   event->thread->index);

	if (!top || (int64_t)begin->sequence < 0)
		return;
	autograd_nodes_put(
		&mine->modules.nodes,
		(struct autograd_node){ event->process->index, begin->thread, begin->sequence },
		top->row);
}

static void module_events_take_engine(struct module_state *mine, const struct source_event *event,
				      uint32_t scope, enum name_kind kind, bool counts)
{
	struct module_op *op = &mine->op[scope];
	uint32_t last;

	op->is_engine = true;
	op->counts = counts;
	op->began_ns = event->event.time_ns;
	if (mine->works)
		op->work = works_of_thread(mine->works, event->thread);
	if (kind != NAME_ACCUMULATES)
		return;
	last = *module_events_last(mine, event->thread->index);
	module_events_enter(mine, event, scope, last ? last - 1 : MODULE_NONE, counts);
}

/* Modules inside are not called: what their code has become belongs to the module around it. */
static void module_events_take_compiled(struct module_state *mine, const struct source_event *event,
					bool counts)
{
	const struct module_scope *top = module_scopes_top(&mine->modules.scopes,
							   event->thread->index);

	if (!top || !counts)
		return;
	mine->modules.scopes.tree.row[top->row].compiled_calls++;
	mine->modules.has_compiled = true;
}

/*
 * Python takes the operator's place, in __torch_dispatch__: what it calls is counted instead. Of a
 * DTensor that is the part that this rank has, and torch.compile only asks for the result's sizes.
 */
static void module_op_note_mode(struct module_state *mine, uint32_t scope, enum name_kind kind)
{
	uint32_t around = mine->ops.scope[scope].parent;

	mine->op[scope].is_within_mode = kind == NAME_MODE;
	if (around == NEST_NONE)
		return;
	mine->op[scope].is_within_mode |= mine->op[around].is_within_mode;
	if (kind == NAME_MODE)
		mine->op[around].flops = 0;
}

static void module_events_take_op(void *state, const struct source_event *event, bool counts)
{
	struct module_state *mine = state;
	const struct evt_torch_begin_ex *begin = EVENT_AS(torch_begin_ex, &event->event);
	uint32_t name = event_name(mine->source, event, begin->name);
	enum name_kind kind = name_kind_of(mine, name);
	uint32_t scope = nest_begin(&mine->ops, event_place(event), name, false);

	mine->op = memory_room(mine->op, scope, &mine->op_room, sizeof(*mine->op));
	mine->op[scope].is_engine = mine->op[scope].is_entered = false;
	mine->op[scope].has_allocated = false;
	mine->op[scope].flops = 0;
	mine->op[scope].is_given_result = false;
	mine->op[scope].began_ns = UINT64_MAX;
	module_op_note_mode(mine, scope, kind);
	if (kind == NAME_COMPILED)
		module_events_take_compiled(mine, event, counts);
	mine->modules.is_sharded |= kind == NAME_SHARDED;
	if (kind == NAME_ENGINE || kind == NAME_ACCUMULATES)
		module_events_take_engine(mine, event, scope, kind, counts);
	else if (event->event.id == EVT_torch_begin)
		return;
	else if (begin->scope == SCOPE_BACKWARD)
		module_events_take_backward(mine, event, scope, counts);
	else if (begin->scope == SCOPE_FORWARD)
		module_events_take_forward(mine, event);
}

/*
 * Checkpointing ends a repeated call by an exception as soon as it has what it needs: the operator
 * that saves the last tensor has begun, and computes nothing. Nor does one of tensors that have
 * only sizes, by which torch.compile looks at a graph. So these allocate nothing, though their
 * result was not given to them.
 */
static void module_op_count_flops(struct module_state *mine, const struct module_op *op,
				  uint32_t thread)
{
	const struct module_scope *top = module_scopes_top(&mine->modules.scopes, thread);
	struct module_amounts *into = module_scope_amounts(&mine->modules.scopes, top);
	bool may_be_none = op->is_within_mode || (top && top->phase == MODULE_RECOMPUTED);

	if (may_be_none && mine->has_tensors && !op->has_allocated && !op->is_given_result)
		return;
	if (into && op->flops == COUNTED_FLOPS_UNKNOWN)
		into->flops_unknown++;
	else if (into)
		into->flops += op->flops;
}

static void module_events_take_tensor(void *state, const struct source_event *event, bool counts)
{
	struct module_state *mine = state;
	uint32_t top = nest_top(&mine->ops, event->thread->index);

	(void)counts;
	mine->has_tensors = true;
	if (top != NEST_NONE)
		mine->op[top].has_allocated = true;
}

static void module_op_ended(void *state, const struct nest_end *end)
{
	struct module_state *mine = state;
	struct nest_place place = { .time_ns = end->time_ns, .thread = end->thread };
	const struct module_op *op = &mine->op[end->scope];
	struct module_moment moment;

	if (end->parent != NEST_NONE)
		mine->op[end->parent].has_allocated |= op->has_allocated;
	if (op->flops && end->how == NEST_ENDS)
		module_op_count_flops(mine, op, end->thread);
	/* the engine did something that is no function of an operator */
	if (op->is_engine && !op->is_entered && op->counts && end->how != NEST_RUNS_ON &&
	    !module_scopes_top(&mine->modules.scopes, end->thread))
		mine->modules.scopes.elsewhere_ns += end->total_ns;
	if (!op->is_entered || mine->is_cutting)
		return;
	place.process = mine->ops.thread[end->thread].process;
	moment = module_moment_of(mine, place, mine->thread);
	module_scopes_end_backward(&mine->modules.scopes, &moment);
}

static void module_events_take_op_end(void *state, const struct source_event *event, bool counts)
{
	struct module_state *mine = state;

	(void)counts;
	mine->thread = event->thread;
	nest_end_of_event(&mine->ops, mine->source, event);
}

static void module_events_take_sampling(void *state, const struct source_event *event, bool counts)
{
	struct module_state *mine = state;

	(void)counts;
	mine->is_sampled |= EVENT_AS(torch_sampling, &event->event)->one_in > 1;
}

/* --- FLOPs --- */

/*
 * An operator is counted by the outermost one that is: under autocast it calls one of the same
 * name, and on the CPU a grouped or scaled product calls plain ones.
 */
static bool module_op_is_counted(const struct module_state *mine, uint32_t op)
{
	while ((op = mine->ops.scope[op].parent) != NEST_NONE)
		if (mine->op[op].flops)
			return true;
	return false;
}

/* Of an operator that is counted: behind its inputs and scalars stands a tensor, as of mm(out=). */
static bool inputs_have_result(const struct source_name *shapes)
{
	struct shape input[INPUTS_MOST];
	unsigned int count = shapes->text
				     ? shapes_read(shapes->text, shapes->length, input, INPUTS_MOST)
				     : 0;

	return count > 2 && input[count - 1].count > 0;
}

static void module_events_take_inputs(void *state, const struct source_event *event, bool counts)
{
	struct module_state *mine = state;
	const struct evt_torch_inputs *given = EVENT_AS(torch_inputs, &event->event);
	uint32_t op = nest_top(&mine->ops, event->thread->index);
	const struct source_name *shapes;

	(void)counts;
	mine->modules.has_inputs = true;
	if (op == NEST_NONE || module_op_is_counted(mine, op))
		return;
	shapes = source_name_at(mine->source, event_name(mine->source, event, given->shapes));
	mine->op[op].flops = counted_flops(
		source_name_at(mine->source, (uint32_t)mine->ops.scope[op].key), shapes,
		source_name_at(mine->source, event_name(mine->source, event, given->integers)));
	mine->op[op].is_given_result = mine->op[op].flops && inputs_have_result(shapes);
}

/* --- work of the GPU --- */

static uint64_t module_events_place_of(void *state, const struct source_event *event, bool counts)
{
	struct module_state *mine = state;
	const struct module_scope *top;
	uint32_t thread;

	(void)counts;
	thread = helpers_scopes_of(mine->helpers, &mine->modules.scopes.nest, event->thread->index);
	top = module_scopes_top(&mine->modules.scopes, thread);
	if (!top || top->into == MODULE_NONE)
		return DEFERRED_NOTHING;
	return (uint64_t)top->into * MODULE_PHASES + top->into_phase + 1;
}

static void module_events_take_late(void *state, uint64_t place, const struct deferred_work *work)
{
	struct module_tree *tree = &((struct module_state *)state)->modules.scopes.tree;
	struct module_amounts *into;

	if (place == DEFERRED_NOTHING || !work->is_on_device)
		return;
	into = &tree->row[(place - 1) / MODULE_PHASES].own[(place - 1) % MODULE_PHASES];
	into->gpu_ns += work->duration_ns;
	into->gpu_ops++;
}

/* --- tensors: where they were made, and what they were for --- */

static uint64_t module_events_tensor_place(void *state, const struct source_event *event)
{
	struct module_state *mine = state;
	const struct module_scope *top = module_scopes_top(&mine->modules.scopes,
							   event->thread->index);

	if (!top || top->into == MODULE_NONE)
		return 0;
	return (uint64_t)event->process->index << 32 | (top->into + 1);
}

/* An activation was kept for the pass that ended next, a gradient was made in it. */
static void module_events_tensor_settle(void *state, uint64_t place, enum tensor_category category,
					uint64_t bytes, uint64_t pass)
{
	struct module_tree *tree = &((struct module_state *)state)->modules.scopes.tree;
	uint64_t of = (place & ~(uint64_t)UINT32_MAX) | (uint32_t)pass;

	if (!place)
		return;
	if (category == CATEGORY_activations)
		module_tree_keep(tree, (uint32_t)place - 1, MODULE_ACTIVATIONS, of, bytes);
	else if (category == CATEGORY_gradients)
		module_tree_keep(tree, (uint32_t)place - 1, MODULE_GRADIENTS, of, bytes);
}

/* --- the analysis --- */

static void module_events_read_operators(struct module_state *mine, struct run *run)
{
	run_reads_scopes(run, EVT_SCOPE_KIND_operator, FIELDS_ALL, module_events_take_op,
			 module_events_take_op_end, mine);
	run_reads(run, EVT_torch_inputs, FIELDS_ALL, module_events_take_inputs, mine);
	run_reads(run, EVT_torch_sampling, FIELDS_ALL, module_events_take_sampling, mine);
	run_reads(run, EVT_tensor_alloc, 0, module_events_take_tensor, mine);
}

static void module_events_start(void *state, struct run *run, const void *options)
{
	static const struct deferred_listener listener = { .place = module_events_place_of,
							   .take = module_events_take_late,
							   .takes_uncounted = true };
	const struct modules_options *asked = options;
	struct module_state *mine = state;

	mine->source = run_source(run);
	mine->works = asked->work ? works_want(run, asked->work) : NULL;
	module_scopes_init(&mine->modules.scopes);
	autograd_nodes_init(&mine->modules.nodes);
	nest_init(&mine->ops, (struct nest_options){ 0 }, module_op_ended, mine);
	if (asked->work & WORK_BIT(tensor_bytes)) {
		static const struct category_listener tensors = { module_events_tensor_place,
								  module_events_tensor_settle };
		struct categories *categories = run_want(
			run, &analysis_categories,
			&(struct categories_options){ .for_modules = 1 });

		categories->listener = &tensors;
		categories->listening = mine;
		mine->modules.categories = categories;
	}
	if (asked->work & WORK_BIT(gpu_ns)) {
		mine->helpers = helpers_want(run, NULL);
		deferred_listen(deferred_want(run), &listener, mine);
	}
	run_reads(run, EVT_torch_module_begin, FIELDS_ALL, module_events_take_begin, mine);
	run_reads(run, EVT_torch_module_end, 0, module_events_take_end, mine);
	module_events_read_operators(mine, run);
	/* backward functions belong to the modules of their forward operators */
	run_enters_step(run, mine);
	run_leaves(run, mine);
}

static void module_events_cut(void *state, const struct cut *cut)
{
	struct module_state *mine = state;
	struct module_moment moment;

	if (!cut->thread)
		return;
	moment = module_moment_of(mine, cut_place(cut), cut->thread);
	module_scopes_cut(&mine->modules.scopes, &moment, cut_ending(cut));
	mine->is_cutting = true;
	nest_cut(&mine->ops, cut_place(cut), cut_ending(cut));
	mine->is_cutting = false;
}

static void module_events_release(void *state)
{
	struct module_state *mine = state;

	module_scopes_release(&mine->modules.scopes);
	autograd_nodes_release(&mine->modules.nodes);
	nest_release(&mine->ops);
	free(mine->op);
	free(mine->name_kind);
	free(mine->last);
}

bool modules_know_backward(const struct modules *modules)
{
	const struct module_state *mine = (const struct module_state *)modules;

	return mine->has_sequences && !mine->is_sampled;
}

const struct analysis_kind analysis_modules = {
	.name = "modules",
	.state_bytes = sizeof(struct module_state),
	.options_bytes = sizeof(struct modules_options),
	.start = module_events_start,
	.cut = module_events_cut,
	.release = module_events_release,
};
