/* SPDX-License-Identifier: MIT */
/*
 * Follows operators as far as they say where a block is made, and counts per process how many nodes
 * of autograd's graph have begun, and how many passes and steps of optimizers have ended. A block
 * keeps these counts, and their difference at its end says what it outlived.
 */
#include "report/tensors/categories.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/scopes/scope_events.h"
#include "report/tensors/copies.h"
#include "report/tensors/parameters.h"

#define SCOPE_FUNCTION 0u /* of at::RecordScope */
#define SCOPE_BACKWARD 1u
#define ENGINE "autograd::engine::evaluate_function"
#define STEP "Optimizer.step#"
#define OPERATOR "aten::"
#define CLONE OPERATOR "clone"
#define LOADER "enumerate(DataLoader)"
#define SHARDED "FSDP::"                    /* fully_shard() */
#define WRAPPED "FullyShardedDataParallel." /* the class */
#define INPUT_PASSES 2u                     /* what lives longer is none */
#define ON_CPU 0u

enum made_in {
	MADE_OUTSIDE,
	MADE_FORWARD,
	MADE_BACKWARD,
	MADE_WITH_GRAPH, /* in backward, by an operator of autograd: create_graph, checkpointing */
	MADE_BY_REDUCTION, /* in backward: the sum over ranks of gradients of several parameters */
	MADE_BY_GATHER,
	MADE_BY_OPTIMIZER,
	MADE_BY_LOADER
};

enum block_end { BLOCK_LIVES, BLOCK_FREED, BLOCK_FREED_BACKWARD };

struct category_block {
	uint64_t address, bytes, place, since_ns;
	uint64_t nodes, passes, steps; /* of its process when it was made */
	uint64_t peak_number;          /* of its device, before it was made */
	uint32_t process, device;
	uint64_t product; /* key + 1 of the matrix product that made it on a GPU; 0: none did */
	enum made_in made_in;
	bool exists, counts, is_parameter;
	bool was_first; /* before the first pass */
	bool is_bare;   /* no operator made it, as when a file is loaded */
	bool is_clone;  /* the result of an outermost aten::clone */
	bool is_copy;   /* copies.h; if it has the size of a parameter */
	bool is_second; /* of a product: it had made one before */
	bool is_early;  /* of a product: none of its thread had made one */
};

struct category_scope {
	uint8_t made_in;
	bool is_product, has_made;
	bool has_sequence, is_within; /* is_within: another operator */
};

struct category_name {
	uint8_t made_in; /* enum made_in + 1; 0: not looked at */
	bool is_product;
	bool makes_none; /* a product that had been given its result */
	bool is_operator, is_clone;
};

struct category_process {
	uint64_t nodes, passes, steps;
	uint32_t last; /* the thread that ran an operator last, outside of autograd's engine; + 1 */
	uint32_t owner, runner; /* threads that call the pass, and run it; + 1 */
	bool is_in_pass, has_stepped;
};

struct category_list {
	struct parameter_block *block;
	size_t count, room;
};

struct category_state {
	struct categories categories; /* must be first: others see only this part */
	struct source *source;
	struct nest ops;              /* keys are names */
	struct category_scope *scope; /* parallel to its scopes */
	size_t scope_room;
	struct category_name *name; /* by index */
	size_t name_room;
	bool *has_multiplied; /* by index of a thread */
	size_t has_multiplied_room;
	struct category_process *process;
	size_t process_room;
	struct category_block *block;
	size_t block_count, block_room;
	struct map blocks; /* process, kind of device and address to block */
	uint32_t *unused;
	size_t unused_count, unused_room;
	struct category_list gradients, states, candidates;
	struct copies copies;
	bool is_sampled, has_sequences;
	uint64_t to_ns; /* where the selected time ends; what lives there has been what it was */
};

const char *category_name(enum tensor_category category)
{
	static const char *const names[CATEGORIES] = {
#define CATEGORY(id, name, less) name,
#include "report/tensors/categories.def"
	};

	return names[category];
}

const char *category_less(enum tensor_category category)
{
	static const char *const texts[CATEGORIES] = {
#define CATEGORY(id, name, less) less,
#include "report/tensors/categories.def"
	};

	return texts[category];
}

/* --- devices --- */

static uint32_t category_device_of(struct categories *all, uint64_t device)
{
	for (uint32_t i = 0; i < all->device_count; i++)
		if (all->device[i].device == device)
			return i;
	all->device = memory_room(all->device, all->device_count, &all->device_room,
				  sizeof(*all->device));
	all->device[all->device_count] = (struct category_device){ .device = device };
	return (uint32_t)all->device_count++;
}

/* --- what a block was --- */

/*
 * cuBLAS gets memory in the first product of a thread and stream. A product has one result, which
 * it makes first, if it has not been given one, as by torch.compile.
 */
static bool block_is_workspace(const struct category_state *mine,
			       const struct category_block *block)
{
	return block->product &&
	       (block->is_second || (block->is_early && mine->name[block->product - 1].makes_none));
}

static enum tensor_category category_of_outside(const struct category_block *block,
						const struct category_process *process,
						bool is_freed)
{
	if (process->nodes == block->nodes)
		return is_freed ? CATEGORY_temporaries : CATEGORY_unknown;
	return process->passes - block->passes > INPUT_PASSES ? CATEGORY_unknown : CATEGORY_inputs;
}

static enum tensor_category category_of_forward(const struct category_block *block,
						const struct category_process *process,
						bool is_freed)
{
	if (process->nodes == block->nodes)
		return is_freed ? CATEGORY_temporaries : CATEGORY_unknown;
	return process->passes - block->passes > INPUT_PASSES ? CATEGORY_unknown
							      : CATEGORY_activations;
}

/* What a later pass needs is freed by its backward functions, gradients by the program. */
static enum tensor_category category_of_graph(const struct category_block *block,
					      const struct category_process *process,
					      enum block_end end)
{
	if (process->passes > block->passes && end != BLOCK_FREED_BACKWARD)
		return CATEGORY_gradients;
	return category_of_forward(block, process, end != BLOCK_LIVES);
}

static enum tensor_category category_of(const struct category_state *mine,
					const struct category_block *block, enum block_end end)
{
	const struct category_process *process = &mine->process[block->process];
	bool is_freed = end != BLOCK_LIVES;

	if (mine->is_sampled || !mine->has_sequences)
		return CATEGORY_unknown;
	if (block->is_parameter)
		return CATEGORY_parameters;
	if (block_is_workspace(mine, block) && (!is_freed || process->passes > block->passes))
		return CATEGORY_workspaces;
	if (block->is_copy && process->nodes != block->nodes &&
	    copies_have_size(&mine->copies, block->process, block->device, block->bytes))
		return CATEGORY_unknown;
	switch (block->made_in) {
	case MADE_BACKWARD:
	case MADE_BY_REDUCTION:
		return process->passes > block->passes || !is_freed ? CATEGORY_gradients
								    : CATEGORY_temporaries;
	case MADE_BY_OPTIMIZER:
		return process->steps > block->steps || !is_freed ? CATEGORY_optimizer
								  : CATEGORY_temporaries;
	case MADE_WITH_GRAPH:
		return category_of_graph(block, process, end);
	case MADE_BY_GATHER:
		return CATEGORY_gathered;
	case MADE_BY_LOADER:
		return CATEGORY_inputs;
	case MADE_FORWARD:
		return category_of_forward(block, process, is_freed);
	default:
		return category_of_outside(block, process, is_freed);
	}
}

/* --- blocks --- */

static uint64_t category_identity(uint32_t process, uint64_t device, uint64_t address)
{
	const uint64_t words[3] = { process, device == 0, address };
	uint64_t key = map_hash_bytes(words, sizeof(words), 0);

	return key ? key : 1;
}

/* The block ends, or everything is read: adds it to what it was. */
static void category_settle(struct category_state *mine, struct category_block *block,
			    enum block_end end, uint64_t time_ns)
{
	struct categories *all = &mine->categories;
	enum tensor_category category = category_of(mine, block, end);
	struct category_device *device = &all->device[block->device];
	struct category_sums *sums = &device->of[category];

	block->exists = false;
	if (!block->counts)
		return;
	device->bytes -= block->bytes;
	category_times_put(&device->times, block->since_ns, time_ns, category, block->bytes);
	sums->allocations++;
	sums->bytes_allocated += block->bytes;
	sums->live_allocations += end == BLOCK_LIVES;
	sums->live_bytes += end == BLOCK_LIVES ? block->bytes : 0;
	if (sums->peak_number != device->peak_number)
		sums->peak_bytes = 0;
	sums->peak_number = device->peak_number;
	if (block->peak_number < device->peak_number)
		sums->peak_bytes += block->bytes;
	if (all->listener)
		all->listener->settle(all->listening, block->place, category, block->bytes,
				      block->passes);
}

static void category_drop(struct category_state *mine, struct map_entry *known, enum block_end end,
			  uint64_t time_ns)
{
	uint32_t at = (uint32_t)known->value;

	map_remove(&mine->blocks, known);
	category_settle(mine, &mine->block[at], end, time_ns);
	mine->unused = memory_room(mine->unused, mine->unused_count, &mine->unused_room,
				   sizeof(*mine->unused));
	mine->unused[mine->unused_count++] = at;
}

static uint32_t category_take_block(struct category_state *mine)
{
	if (mine->unused_count)
		return mine->unused[--mine->unused_count];
	mine->block = memory_room(mine->block, mine->block_count, &mine->block_room,
				  sizeof(*mine->block));
	return (uint32_t)mine->block_count++;
}

static struct category_process *category_process_of(struct category_state *mine, uint32_t process)
{
	mine->process = memory_room(mine->process, process, &mine->process_room,
				    sizeof(*mine->process));
	return &mine->process[process];
}

static bool made_in_backward(enum made_in made_in)
{
	return made_in == MADE_BACKWARD || made_in == MADE_BY_REDUCTION;
}

/* The innermost scope that says it; of autograd's operators, whether they are in backward. */
static enum made_in category_made_in(const struct category_state *mine, uint32_t thread)
{
	uint32_t at = nest_innermost(&mine->ops, thread);
	enum made_in made_in = MADE_OUTSIDE;

	for (; at != NEST_NONE; at = nest_outer(&mine->ops, at)) {
		if (made_in == MADE_OUTSIDE)
			made_in = mine->scope[at].made_in;
		if (made_in != MADE_OUTSIDE && made_in != MADE_FORWARD)
			return made_in;
		if (mine->scope[at].made_in == MADE_BACKWARD)
			return MADE_WITH_GRAPH;
	}
	return made_in;
}

static bool category_is_backward(const struct category_state *mine, uint32_t thread)
{
	enum made_in made_in = category_made_in(mine, thread);

	return made_in_backward(made_in) || made_in == MADE_WITH_GRAPH;
}

/* Passes of the segments that were not read are not counted. */
static bool category_has_passed(const struct category_state *mine)
{
	return source_families_passed(mine->source) >> EVT_FAMILY_torch & 1;
}

/* Whether a product made the block by itself; all operators around it have made one now. */
static void category_note_made(struct category_state *mine, uint32_t thread,
			       struct category_block *block)
{
	uint32_t at = nest_innermost(&mine->ops, thread);

	if (at == NEST_NONE)
		return;
	if (mine->scope[at].is_product && mine->categories.device[block->device].device != ON_CPU) {
		mine->has_multiplied = memory_room(mine->has_multiplied, thread,
						   &mine->has_multiplied_room,
						   sizeof(*mine->has_multiplied));
		block->product = mine->ops.scope[at].key + 1;
		block->is_second = mine->scope[at].has_made;
		block->is_early = !mine->has_multiplied[thread] && !category_has_passed(mine);
		mine->has_multiplied[thread] = true;
	}
	for (; at != NEST_NONE; at = nest_outer(&mine->ops, at))
		mine->scope[at].has_made = true;
}

/* The innermost scope that is an aten::clone, and in no other operator. */
static uint32_t category_clone(const struct category_state *mine, uint32_t thread)
{
	uint32_t at = nest_innermost(&mine->ops, thread);

	while (at != NEST_NONE &&
	       (mine->scope[at].is_within || !mine->name[mine->ops.scope[at].key].is_clone))
		at = nest_outer(&mine->ops, at);
	return at;
}

/* What is loaded before the first pass may be copied into parameters. */
static void category_note_copy(struct category_state *mine, uint32_t thread, uint32_t at)
{
	struct category_block *block = &mine->block[at];
	uint32_t clone = block->made_in == MADE_OUTSIDE || block->made_in == MADE_FORWARD
				 ? category_clone(mine, thread)
				 : NEST_NONE;

	block->is_copy = block->is_bare && block->was_first;
	block->is_clone = clone != NEST_NONE;
	if (block->is_clone)
		block->is_copy = copies_take_clone(&mine->copies, thread,
						   mine->scope[clone].has_sequence, at);
}

static void category_take_alloc(void *state, const struct source_event *event, bool counts)
{
	struct category_state *mine = state;
	struct categories *all = &mine->categories;
	const struct evt_tensor_alloc *given = EVENT_AS(tensor_alloc, &event->event);
	struct category_process *process = category_process_of(mine, event->process->index);
	uint32_t index = category_device_of(all, given->device), at;
	uint64_t identity = category_identity(event->process->index, given->device, given->ptr);
	struct map_entry *known = map_find(&mine->blocks, identity);
	struct category_device *device = &all->device[index];
	bool added;

	if (known)
		category_drop(mine, known, BLOCK_FREED, event->event.time_ns);
	at = category_take_block(mine);
	map_put(&mine->blocks, identity, &added)->value = at;
	mine->block[at] = (struct category_block){
		.address = given->ptr,
		.bytes = given->bytes,
		.since_ns = event->event.time_ns,
		.place = all->listener ? all->listener->place(all->listening, event) : 0,
		.nodes = process->nodes,
		.passes = process->passes,
		.steps = process->steps,
		.peak_number = device->peak_number,
		.process = event->process->index,
		.device = index,
		.made_in = category_made_in(mine, event->thread->index),
		.exists = true,
		.counts = counts,
		.is_bare = nest_innermost(&mine->ops, event->thread->index) == NEST_NONE,
		.was_first = !process->passes && !process->is_in_pass &&
			     !(process->has_stepped && category_has_passed(mine)),
	};
	category_note_made(mine, event->thread->index, &mine->block[at]);
	category_note_copy(mine, event->thread->index, at);
	if (!counts)
		return;
	device->bytes += given->bytes;
	if (device->bytes > device->peak_bytes) {
		device->peak_bytes = device->bytes;
		device->peak_number++;
	}
}

static void category_take_free(void *state, const struct source_event *event, bool counts)
{
	struct category_state *mine = state;
	const struct evt_tensor_free *given = EVENT_AS(tensor_free, &event->event);
	struct map_entry *known = map_find(
		&mine->blocks, category_identity(event->process->index, given->device, given->ptr));

	(void)counts;
	if (known)
		category_drop(mine, known,
			      category_is_backward(mine, event->thread->index)
				      ? BLOCK_FREED_BACKWARD
				      : BLOCK_FREED,
			      event->event.time_ns);
}

/* --- parameters --- */

static bool block_is_gradient(const struct category_state *mine, const struct category_block *block)
{
	return (made_in_backward(block->made_in) || block->made_in == MADE_WITH_GRAPH) &&
	       !block_is_workspace(mine, block);
}

/* A model may be made after another has been trained. */
static bool block_may_be_parameter(const struct category_process *process,
				   const struct category_block *block)
{
	return (block->was_first || process->passes - block->passes > INPUT_PASSES) &&
	       !block->product &&
	       (block->made_in == MADE_OUTSIDE || block->made_in == MADE_FORWARD);
}

static void category_list(struct category_state *mine, struct category_list *list, uint32_t at)
{
	const struct category_block *block = &mine->block[at];

	list->block = memory_room(list->block, list->count, &list->room, sizeof(*list->block));
	list->block[list->count++] = (struct parameter_block){
		.device = mine->categories.device[block->device].device,
		.bytes = block->bytes,
		.since_ns = block->since_ns,
		.at = at,
		.is_parameter = block->is_parameter,
		.is_sum = block->made_in == MADE_BY_REDUCTION,
		.is_unsure = block->made_in == MADE_WITH_GRAPH,
		.is_bare = block->is_bare,
	};
}

/* A pass has ended. */
static void category_find_parameters(struct category_state *mine, uint32_t process)
{
	struct category_list *gradients = &mine->gradients, *candidates = &mine->candidates;
	struct category_list *states = &mine->states;

	gradients->count = states->count = candidates->count = 0;
	for (size_t i = 0; i < mine->block_count; i++) {
		const struct category_block *block = &mine->block[i];

		if (!block->exists || block->process != process)
			continue;
		if (block_is_gradient(mine, block))
			category_list(mine, gradients, (uint32_t)i);
		else if (block->made_in == MADE_BY_OPTIMIZER)
			category_list(mine, states, (uint32_t)i);
		else if (block_may_be_parameter(&mine->process[process], block))
			category_list(mine, candidates, (uint32_t)i);
	}
	gradients->count = parameters_confirm(gradients->block, gradients->count, states->block,
					      states->count);
	parameters_find(gradients->block, gradients->count, candidates->block, candidates->count);
	for (size_t i = 0; i < candidates->count; i++) {
		struct category_block *block = &mine->block[candidates->block[i].at];

		if (candidates->block[i].is_parameter && !block->is_parameter)
			copies_add_size(&mine->copies, process, block->device, block->bytes);
		block->is_parameter = candidates->block[i].is_parameter;
	}
}

/* --- operators --- */

static enum made_in name_look(const struct source_name *name)
{
	static const struct {
		const char *begin;
		enum made_in made_in;
	} names[] = { { ENGINE, MADE_BACKWARD },
		      { STEP, MADE_BY_OPTIMIZER },
		      { LOADER, MADE_BY_LOADER },
		      { SHARDED "all_gather", MADE_BY_GATHER },
		      { SHARDED "post_backward_reduce", MADE_BY_REDUCTION },
		      { SHARDED "root_post_backward", MADE_BACKWARD },
		      { WRAPPED "_pre_", MADE_BY_GATHER },
		      { WRAPPED "_post_backward_prefetch", MADE_BY_GATHER } };

	for (size_t i = 0; name->text && i < sizeof(names) / sizeof(names[0]); i++)
		if (name->length >= strlen(names[i].begin) &&
		    !memcmp(name->text, names[i].begin, strlen(names[i].begin)))
			return names[i].made_in;
	return MADE_OUTSIDE;
}

static bool name_is_operator(const struct source_name *name)
{
	return name->text && name->length >= strlen(OPERATOR) &&
	       !memcmp(name->text, OPERATOR, strlen(OPERATOR));
}

/* Of an operator: mm, addmm, bmm, baddbmm, _scaled_mm, addmv, dot and so on. */
static bool name_is_product(const struct source_name *name)
{
	static const char *const ends[] = { "mm", "mv", "mv_", "mm_", "dot", "mm_activation" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t length = strlen(ends[i]);

		if (name->length >= 6 + length &&
		    !memcmp(name->text + name->length - length, ends[i], length))
			return true;
	}
	return false;
}

static struct category_name *category_name_of(struct category_state *mine, uint32_t index)
{
	struct category_name *name;

	mine->name = memory_room(mine->name, index, &mine->name_room, sizeof(*mine->name));
	name = &mine->name[index];
	if (!name->made_in) {
		const struct source_name *text = source_name_at(mine->source, index);

		name->made_in = (uint8_t)name_look(text) + 1;
		name->is_operator = name_is_operator(text);
		name->is_product = name->is_operator && name_is_product(text);
		name->is_clone = name->is_operator && !strcmp(text->text, CLONE);
	}
	return name;
}

static void category_end_pass(struct category_state *mine, uint32_t index)
{
	struct category_process *process = &mine->process[index];

	process->is_in_pass = false;
	process->passes++;
	category_find_parameters(mine, index);
}

/* Says what the operator is, and counts nodes and passes. */
static void category_note(struct category_state *mine, const struct source_event *event,
			  enum made_in made_in, bool is_outermost)
{
	struct category_process *process = category_process_of(mine, event->process->index);
	uint32_t thread = event->thread->index + 1;

	if (made_in_backward(made_in)) {
		process->nodes++;
		process->runner = thread;
		if (!process->is_in_pass)
			process->owner = process->last;
		process->is_in_pass = true;
	} else if (is_outermost) {
		if (process->is_in_pass && (thread == process->owner || thread == process->runner))
			category_end_pass(mine, event->process->index);
		process->last = thread;
	}
}

static bool category_is_within(const struct category_state *mine, uint32_t outer)
{
	return outer != NEST_NONE &&
	       (mine->scope[outer].is_within || mine->name[mine->ops.scope[outer].key].is_operator);
}

/* The block of the clone before may be another one by now. */
static void category_note_sequence(struct category_state *mine, const struct source_event *event,
				   uint64_t sequence)
{
	uint64_t pass = category_process_of(mine, event->process->index)->passes;
	uint32_t copy = copies_take_operator(&mine->copies, event->thread->index, pass, sequence);

	if (copy != COPY_NONE)
		mine->block[copy].is_copy = mine->block[copy].is_clone;
}

static void category_take_op(void *state, const struct source_event *event, bool counts)
{
	struct category_state *mine = state;
	const struct evt_torch_begin_ex *begin = EVENT_AS(torch_begin_ex, &event->event);
	uint32_t name = event_name(mine->source, event, begin->name);
	const struct category_name *kind = category_name_of(mine, name);
	enum made_in made_in = kind->made_in - 1;
	uint32_t outer = nest_innermost(&mine->ops, event->thread->index);
	uint32_t scope = nest_begin(&mine->ops, event_place(event), name, false);
	bool has_sequence = event->event.id != EVT_torch_begin && (int64_t)begin->sequence >= 0;

	(void)counts;
	if (event->event.id != EVT_torch_begin && made_in == MADE_OUTSIDE) {
		mine->has_sequences |= has_sequence;
		if (begin->scope == SCOPE_BACKWARD)
			made_in = MADE_BACKWARD;
		else if (begin->scope == SCOPE_FUNCTION && has_sequence)
			made_in = MADE_FORWARD;
	}
	mine->scope = memory_room(mine->scope, scope, &mine->scope_room, sizeof(*mine->scope));
	mine->scope[scope] = (struct category_scope){
		.made_in = (uint8_t)made_in,
		.is_product = kind->is_product,
		.has_sequence = has_sequence,
		.is_within = category_is_within(mine, outer),
	};
	if (event->event.time_ns < mine->to_ns)
		category_note(mine, event, made_in, outer == NEST_NONE);
	if (has_sequence && begin->scope == SCOPE_FUNCTION)
		category_note_sequence(mine, event, begin->sequence);
}

static void category_op_ended(void *state, const struct nest_end *end)
{
	struct category_state *mine = state;
	const struct category_scope *scope = &mine->scope[end->scope];

	if (scope->made_in == MADE_BY_OPTIMIZER && end->time_ns < mine->to_ns)
		category_process_of(mine, mine->ops.thread[end->thread].process)->steps++;
	if (scope->is_product && !scope->has_made && end->how == NEST_ENDS)
		mine->name[end->key].makes_none = true;
}

static void category_take_op_end(void *state, const struct source_event *event, bool counts)
{
	struct category_state *mine = state;

	(void)counts;
	nest_end_of_event(&mine->ops, mine->source, event);
}

static void category_take_sampling(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	((struct category_state *)state)->is_sampled |= EVENT_AS(torch_sampling, &event->event)
								->one_in > 1;
}

/* A step has ended, so there has been a pass: who trains makes its parameters before. */
static void category_take_step(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	category_process_of(state, event->process->index)
		->has_stepped |= EVENT_AS(step, &event->event)->number != 0;
}

/* --- ends --- */

static void category_end_blocks(struct category_state *mine, uint32_t process, uint64_t time_ns)
{
	if (process < mine->process_room && mine->process[process].is_in_pass)
		category_end_pass(mine, process);
	for (size_t i = 0; i < mine->block_count; i++) {
		struct category_block *block = &mine->block[i];
		struct map_entry *known;

		if (!block->exists || block->process != process)
			continue;
		known = map_find(&mine->blocks,
				 category_identity(process,
						   mine->categories.device[block->device].device,
						   block->address));
		if (known)
			category_drop(mine, known, BLOCK_LIVES, time_ns);
	}
}

static void category_take_end(void *state, const struct source_event *event, bool counts)
{
	const struct source_process *process = source_process_of(
		event->file, EVENT_AS(process_end, &event->event)->process);

	(void)counts;
	if (process)
		category_end_blocks(state, process->index, event->event.time_ns);
}

static void categories_start(void *state, struct run *run, const void *options)
{
	struct category_state *mine = state;

	(void)options;
	mine->source = run_source(run);
	mine->to_ns = run_filters(run)->settings.to_ns;
	nest_init(&mine->ops, (struct nest_options){ 0 }, category_op_ended, mine);
	map_init(&mine->blocks);
	copies_init(&mine->copies);
	run_reads_scopes(run, EVT_SCOPE_KIND_operator, FIELDS_ALL, category_take_op,
			 category_take_op_end, mine);
	run_reads(run, EVT_torch_sampling, FIELDS_ALL, category_take_sampling, mine);
	run_reads(run, EVT_tensor_alloc, FIELDS_ALL, category_take_alloc, mine);
	run_reads(run, EVT_tensor_free, FIELDS_ALL, category_take_free, mine);
	run_reads(run, EVT_step, FIELD_BIT(step, number), category_take_step, mine);
	run_reads(run, EVT_process_end, FIELD_BIT(process_end, process), category_take_end, mine);
	run_enters_step(run, mine);
	run_leaves(run, mine);
}

static void categories_cut(void *state, const struct cut *cut)
{
	if (cut->thread)
		nest_cut(&((struct category_state *)state)->ops, cut_place(cut), cut_ending(cut));
}

static void categories_finish(void *state)
{
	struct category_state *mine = state;
	struct categories *all = &mine->categories;

	for (size_t i = 0; i < mine->process_room; i++)
		category_end_blocks(mine, (uint32_t)i, CATEGORY_FOR_EVER);
	all->is_known = mine->has_sequences && !mine->is_sampled;
	for (size_t i = 0; i < all->device_count; i++)
		for (unsigned int k = 0; k < CATEGORIES; k++)
			if (all->device[i].of[k].peak_number != all->device[i].peak_number)
				all->device[i].of[k].peak_bytes = 0;
}

static void categories_release(void *state)
{
	struct category_state *mine = state;

	nest_release(&mine->ops);
	map_release(&mine->blocks);
	copies_release(&mine->copies);
	for (size_t i = 0; i < mine->categories.device_count; i++)
		category_times_release(&mine->categories.device[i].times);
	free(mine->categories.device);
	free(mine->scope);
	free(mine->name);
	free(mine->has_multiplied);
	free(mine->gradients.block);
	free(mine->states.block);
	free(mine->candidates.block);
	free(mine->process);
	free(mine->block);
	free(mine->unused);
}

const struct analysis_kind analysis_categories = {
	.name = "categories of tensors",
	.state_bytes = sizeof(struct category_state),
	.options_bytes = sizeof(struct categories_options),
	.start = categories_start,
	.cut = categories_cut,
	.finish = categories_finish,
	.release = categories_release,
};
