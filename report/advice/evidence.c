/* SPDX-License-Identifier: MIT */
/* Collects the facts that advice rests on, step by step: work, gaps, and what was open in them. */
#include "report/advice/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "report/advice/regions.h"
#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/gpu/wait_calls.h"
#include "report/steps/steps.h"

/* at::RecordScope */
#define SCOPE_BACKWARD 1u
#define SCOPE_USER 7u

struct evidence_thread {
	uint32_t process;
	uint32_t optimizers, items, loaders; /* open scopes */
	/* In an optimizer's step: whether the closure runs, and where the previous child ended. */
	bool in_closure;
	uint64_t since_ns, closure_ns;
	struct regions regions;
	unsigned int makers; /* open ones of is_maker() */
	uint64_t made_since; /* the process's bytes of tensors when the outermost began */
};

struct evidence_block {
	uint64_t address, bytes;
	uint32_t process;
};

static void evidence_scope_ended(void *state, const struct nest_end *end);

void evidence_init(struct evidence *evidence)
{
	*evidence = (struct evidence){ .process = NULL };
	nest_init(&evidence->nest, (struct nest_options){ 0 }, evidence_scope_ended, evidence);
	gaps_init(&evidence->gaps);
	map_init(&evidence->regions);
}

void evidence_release(struct evidence *evidence)
{
	nest_release(&evidence->nest);
	gaps_release(&evidence->gaps);
	map_release(&evidence->regions);
	free(evidence->labels.label);
	for (size_t i = 0; i < evidence->process_room; i++)
		free(evidence->process[i].sample);
	free(evidence->open_name);
	free(evidence->open_double);
	free(evidence->thread);
	free(evidence->process);
	free(evidence->pinned);
}

/* --- names --- */

static bool is_one_of(const char *name, size_t length, const char *const *texts)
{
	for (; *texts; texts++)
		if (strlen(*texts) == length && !memcmp(name, *texts, length))
			return true;
	return false;
}

enum evidence_kind evidence_kind_of(const char *name, size_t length, uint64_t scope)
{
	static const char *const items[] = { "aten::item", "aten::_local_scalar_dense", NULL };
	static const char *const copies[] = { "aten::clone",    "aten::contiguous", "aten::to",
					      "aten::_to_copy", "aten::copy_",      NULL };
	static const char *const plain[] = { "Optimizer.step#LBFGS.step",
					     "Optimizer.step#SparseAdam.step", NULL };
	static const char *const products[] = { "aten::mm", "aten::addmm", "aten::bmm", NULL };
	enum region_kind region = region_kind_of(name, length);

	if (is_one_of(name, length, plain))
		return EVIDENCE_OPTIMIZER_PLAIN;
	if (text_begins(name, length, "Optimizer.step#"))
		return EVIDENCE_OPTIMIZER;
	if (text_begins(name, length, "Optimizer.zero_grad#"))
		return EVIDENCE_ZERO_GRAD;
	if (text_begins(name, length, "enumerate(DataLoader)#"))
		return EVIDENCE_DATALOADER;
	if (step_category_of(name, length, scope) == STEP_communication)
		return EVIDENCE_COMMUNICATION;
	if (region != REGION_NONE)
		return region == REGION_AGAIN ? EVIDENCE_RECOMPILED : EVIDENCE_REGION;
	if (scope == SCOPE_USER)
		return EVIDENCE_LABEL;
	if (scope == SCOPE_BACKWARD || text_begins(name, length, "autograd::engine::evaluate_"))
		return EVIDENCE_BACKWARD;
	if (is_one_of(name, length, items))
		return EVIDENCE_ITEM;
	if (is_one_of(name, length, copies))
		return EVIDENCE_COPY;
	if (text_begins(name, length, "aten::_foreach_") ||
	    text_begins(name, length, "aten::_fused_"))
		return EVIDENCE_GROUPED;
	if (text_is(name, length, "aten::embedding"))
		return EVIDENCE_LOOK_UP;
	if (text_is(name, length, "aten::embedding_dense_backward"))
		return EVIDENCE_TABLE;
	if (is_one_of(name, length, products))
		return EVIDENCE_PRODUCT;
	return EVIDENCE_OPERATOR;
}

enum evidence_kind evidence_kind_of_call(const char *name, size_t length)
{
	enum wait_call_kind wait = wait_call_kind_of(name, length);
	bool copies = text_begins(name, length, "cudaMemcpy") ||
		      text_begins(name, length, "cuMemcpy");

	if (wait != WAIT_CALL_NONE && wait != WAIT_CALL_STREAM_FOR_EVENT)
		return EVIDENCE_WAITS;
	if (!copies)
		return EVIDENCE_FUNCTION;
	return memmem(name, length, "Async", 5) ? EVIDENCE_COPY : EVIDENCE_WAITS;
}

/* --- places --- */

static struct evidence_process *evidence_process_at(struct evidence *evidence, uint32_t process)
{
	evidence->process = memory_room(evidence->process, process, &evidence->process_room,
					sizeof(*evidence->process));
	return &evidence->process[process];
}

static struct evidence_thread *evidence_thread_at(struct evidence *evidence,
						  struct nest_place place)
{
	evidence->thread = memory_room(evidence->thread, place.thread, &evidence->thread_room,
				       sizeof(*evidence->thread));
	evidence->thread[place.thread].process = place.process;
	return &evidence->thread[place.thread];
}

static void evidence_tell(const struct evidence *evidence, struct nest_place place,
			  uint64_t duration_ns, enum evidence_hold_kind kind)
{
	if (evidence->take_hold && duration_ns)
		evidence->take_hold(evidence->listener, place, duration_ns, kind);
}

/* --- scopes --- */

/* Notes the name of a scope that is not in the nest. */
static void open_beside(struct evidence *evidence, uint32_t scope, uint32_t name)
{
	if (scope == NEST_NONE)
		return;
	evidence->open_name = memory_room(evidence->open_name, scope, &evidence->open_room,
					  sizeof(*evidence->open_name));
	evidence->open_name[scope] = name;
	evidence->open_double = memory_room(evidence->open_double, scope, &evidence->double_room,
					    sizeof(*evidence->open_double));
	evidence->open_double[scope] = false;
}

void evidence_typed(struct evidence *evidence, struct nest_place place, bool has_doubles)
{
	uint32_t scope = nest_innermost(&evidence->nest, place.thread);

	evidence_process_at(evidence, place.process)->pending.typed_steps = 1;
	if (has_doubles && scope != NEST_NONE && scope < evidence->double_room)
		evidence->open_double[scope] = true;
}

/* Returns whether it matters how large the tensors are that it makes. */
static bool is_maker(uint64_t kind)
{
	return kind == EVIDENCE_LOOK_UP || kind == EVIDENCE_TABLE || kind == EVIDENCE_PRODUCT;
}

static bool is_operator(uint64_t kind)
{
	return kind == EVIDENCE_OPERATOR || kind == EVIDENCE_ITEM || kind == EVIDENCE_GROUPED ||
	       kind == EVIDENCE_COPY || kind == EVIDENCE_BACKWARD || is_maker(kind);
}

static bool is_optimizer(uint64_t kind)
{
	return kind == EVIDENCE_OPTIMIZER || kind == EVIDENCE_OPTIMIZER_PLAIN;
}

static bool is_region(uint64_t kind)
{
	return kind == EVIDENCE_REGION || kind == EVIDENCE_RECOMPILED;
}

/* Returns whether the scope is a label of the user's. */
static bool is_label(uint64_t kind)
{
	return kind == EVIDENCE_LABEL || kind == EVIDENCE_RANGE || kind == EVIDENCE_ACTION;
}

/* Returns whether the thread works in such a scope; labels do not tell. */
static bool is_busy(uint64_t kind)
{
	return is_operator(kind) || kind == EVIDENCE_DATALOADER || is_region(kind) ||
	       kind == EVIDENCE_ZERO_GRAD || kind == EVIDENCE_COMMUNICATION;
}

static bool is_of_closure(const struct evidence_opening *opening)
{
	return opening->records_gradient || opening->kind == EVIDENCE_BACKWARD ||
	       opening->kind == EVIDENCE_ZERO_GRAD || opening->kind == EVIDENCE_DATALOADER ||
	       is_label(opening->kind) || is_region(opening->kind);
}

/* A scope directly in an optimizer's step begins. */
static void open_in_optimizer(struct evidence_thread *thread, struct evidence_work *work,
			      const struct evidence_opening *opening)
{
	thread->in_closure = is_of_closure(opening);
	if (thread->in_closure || !is_operator(opening->kind))
		return;
	work->optimizer_operators++;
	work->optimizer_grouped += opening->kind == EVIDENCE_GROUPED;
}

static void open_optimizer(struct evidence_thread *thread, struct nest_place place)
{
	if (thread->optimizers++)
		return;
	thread->in_closure = false;
	thread->since_ns = place.time_ns;
	thread->closure_ns = 0;
}

static void open_region(struct evidence *evidence, struct evidence_thread *thread,
			const struct evidence_opening *opening)
{
	struct evidence_work *work = &evidence_process_at(evidence, opening->place.process)
					      ->pending;
	uint64_t key = ((uint64_t)opening->place.process << 32 | opening->name) + 1;
	bool added;

	if (is_region(opening->kind))
		regions_open(&thread->regions);
	else if (opening->records_gradient)
		regions_record_gradient(&thread->regions);
	if (opening->kind != EVIDENCE_RECOMPILED)
		return;
	(void)map_put(&evidence->regions, key, &added);
	work->recompiled += added;
}

void evidence_open(struct evidence *evidence, const struct evidence_opening *opening)
{
	struct nest_place place = opening->place;
	struct evidence_thread *thread = evidence_thread_at(evidence, place);
	struct evidence_work *work = &evidence_process_at(evidence, place.process)->pending;
	uint32_t around = nest_innermost(&evidence->nest, place.thread);

	work->operators += is_operator(opening->kind);
	work->graded += is_operator(opening->kind) && opening->records_gradient;
	if (around != NEST_NONE && is_optimizer(evidence->nest.scope[around].key))
		open_in_optimizer(thread, work, opening);
	if (is_optimizer(opening->kind))
		open_optimizer(thread, place);
	open_region(evidence, thread, opening);
	thread->items += opening->kind == EVIDENCE_ITEM;
	thread->loaders += opening->kind == EVIDENCE_DATALOADER;
	if (is_maker(opening->kind) && !thread->makers++)
		thread->made_since = evidence->process[place.process].tensor_bytes;
	if (is_busy(opening->kind))
		evidence_tell(evidence, place, gaps_busy(&evidence->gaps, place, opening->name),
			      EVIDENCE_HOLD_GAP);
	else if (is_label(opening->kind))
		gaps_label_begins(&evidence->gaps, place, opening->name);
	open_beside(evidence, nest_begin(&evidence->nest, place, opening->kind, false),
		    opening->name);
}

/* A scope directly in an optimizer's step has ended. */
static void end_in_optimizer(struct evidence_thread *thread, const struct nest_end *end)
{
	bool of_closure = thread->in_closure && !is_optimizer(end->key);

	if (of_closure)
		thread->closure_ns += end->time_ns - thread->since_ns;
	thread->since_ns = end->time_ns;
}

/* Begins the gap that follows, or ends a label in it. */
static void end_for_gaps(struct evidence *evidence, const struct nest_end *end)
{
	struct nest_place place = { .time_ns = end->time_ns,
				    .thread = end->thread,
				    .process = evidence->thread[end->thread].process };
	uint64_t host_ns = 0;

	if (is_busy(end->key))
		host_ns = gaps_idle(&evidence->gaps, place, evidence->open_name[end->scope],
				    is_operator(end->key) || is_region(end->key));
	else if (is_label(end->key))
		gaps_label_ends(&evidence->gaps, place, evidence->open_name[end->scope]);
	if (evidence_process_at(evidence, place.process)->launches)
		evidence_tell(evidence, place, host_ns, EVIDENCE_HOLD_HOST);
}

/* `is_inside`: within another operator, which explains it. */
static void count_ended(struct evidence_work *work, const struct evidence_thread *thread,
			const struct nest_end *end, bool is_inside)
{
	bool in_optimizer = thread->optimizers && !thread->in_closure;

	if (end->key == EVIDENCE_OPTIMIZER && !thread->optimizers) {
		work->optimizer_steps++;
		work->optimizer_ns += end->total_ns - thread->closure_ns;
	} else if (end->key == EVIDENCE_ZERO_GRAD) {
		work->zero_grad_ns += end->total_ns;
	} else if (end->key == EVIDENCE_ITEM && !thread->items && !in_optimizer &&
		   !thread->loaders) {
		work->items++;
		work->item_ns += end->total_ns;
	} else if (end->key == EVIDENCE_COPY && !is_inside && !in_optimizer && !thread->loaders) {
		work->copies++;
		work->copies_ns += end->total_ns;
	}
}

static void close_region(struct evidence_work *work, struct evidence_thread *thread,
			 const struct nest_end *end)
{
	uint64_t self_ns = end->how == NEST_ENDS ? end->total_ns - end->children_ns : 0;

	if (!regions_close(&thread->regions, self_ns) || !thread->regions.breaks)
		return;
	work->graph_breaks += thread->regions.breaks;
	work->graph_breaks_ns += thread->regions.self_ns;
}

static void add_label(struct evidence *evidence, struct evidence_process *process,
		      const struct nest_end *end)
{
	uint64_t in_step_ns = end->time_ns - process->since_ns;

	if (!process->under_way)
		return;
	step_labels_add(
		&process->labels,
		&(struct step_label){ end->total_ns < in_step_ns ? end->total_ns : in_step_ns,
				      evidence->open_name[end->scope], end->thread });
}

static void count_made(struct evidence_process *process, const struct evidence_thread *thread,
		       const struct nest_end *end)
{
	struct evidence_work *work = &process->pending;
	int64_t bytes = (int64_t)(process->tensor_bytes - thread->made_since);
	uint64_t made = bytes > 0 ? (uint64_t)bytes : 0;

	if (end->key == EVIDENCE_TABLE) {
		work->tables++;
		work->tables_bytes += made;
		work->tables_ns += end->total_ns;
	} else if (end->key == EVIDENCE_LOOK_UP) {
		work->looked_up_bytes += made;
	} else {
		work->products_bytes += made;
	}
}

static void evidence_scope_ended(void *state, const struct nest_end *end)
{
	struct evidence *evidence = state;
	struct evidence_thread *thread = &evidence->thread[end->thread];
	struct evidence_process *process = evidence_process_at(evidence, thread->process);

	thread->optimizers -= is_optimizer(end->key);
	thread->items -= end->key == EVIDENCE_ITEM;
	thread->loaders -= end->key == EVIDENCE_DATALOADER;
	end_for_gaps(evidence, end);
	if (is_region(end->key))
		close_region(&process->pending, thread, end);
	thread->makers -= is_maker(end->key);
	if (end->how != NEST_ENDS)
		return;
	if (is_maker(end->key) && !thread->makers)
		count_made(process, thread, end);
	if (is_label(end->key))
		add_label(evidence, process, end);
	if (end->parent != NEST_NONE && is_optimizer(evidence->nest.scope[end->parent].key))
		end_in_optimizer(thread, end);
	if (evidence->open_double[end->scope] &&
	    (end->parent == NEST_NONE || !evidence->open_double[end->parent])) {
		process->pending.doubles++;
		process->pending.double_ns += end->total_ns;
	}
	count_ended(&process->pending, thread, end,
		    end->parent != NEST_NONE && is_operator(evidence->nest.scope[end->parent].key));
}

void evidence_close(struct evidence *evidence, struct nest_place place)
{
	(void)nest_end(&evidence->nest, place);
}

void evidence_close_one(struct evidence *evidence, struct nest_place place, enum evidence_kind kind)
{
	(void)nest_end_key(&evidence->nest, place, kind);
}

void evidence_cut(struct evidence *evidence, struct nest_place place, enum nest_ending how)
{
	nest_cut(&evidence->nest, place, how);
	gaps_cut(&evidence->gaps, place);
}

void evidence_interrupt(struct evidence *evidence, uint32_t process)
{
	evidence_process_at(evidence, process)->under_way = false;
}

void evidence_detail(struct evidence *evidence, uint32_t process)
{
	for (size_t i = 0; i < evidence->thread_room; i++)
		if (evidence->thread[i].process == process)
			gaps_forget(&evidence->gaps, (uint32_t)i);
}

void evidence_clock(struct evidence *evidence, struct nest_place place, uint64_t cpu_ns)
{
	gaps_clock(&evidence->gaps, place, cpu_ns);
}

/* --- CUDA --- */

void evidence_launch(struct evidence *evidence, uint32_t process)
{
	evidence_process_at(evidence, process)->launches = true;
}

void evidence_call(struct evidence *evidence, struct nest_place place, uint64_t duration_ns)
{
	gaps_call(&evidence->gaps, place, duration_ns);
	if (place.process < evidence->process_room)
		evidence_tell(evidence, place, duration_ns, EVIDENCE_HOLD_CALL);
}

void evidence_pause(struct evidence *evidence, struct nest_place place, uint64_t duration_ns)
{
	gaps_pause(&evidence->gaps, place, duration_ns);
}

void evidence_hold(struct evidence *evidence, uint32_t process, uint64_t duration_ns)
{
	evidence_process_at(evidence, process)->pending.held_ns += duration_ns;
}

void evidence_wait(struct evidence *evidence, struct nest_place place, uint64_t duration_ns)
{
	struct evidence_work *work = &evidence_process_at(evidence, place.process)->pending;

	work->sync_calls++;
	work->sync_ns += duration_ns;
	evidence_tell(evidence, place, duration_ns, EVIDENCE_HOLD_WAIT);
}

void evidence_listen(struct evidence *evidence, evidence_hold_take *take, void *state)
{
	evidence->take_hold = take;
	evidence->listener = state;
}

void evidence_device_memory(struct evidence *evidence, struct nest_place place,
			    uint64_t duration_ns, bool is_free)
{
	struct evidence_process *at = evidence_process_at(evidence, place.process);

	evidence_tell(evidence, place, duration_ns,
		      is_free ? EVIDENCE_HOLD_FREE : EVIDENCE_HOLD_MALLOC);
	if (at->number < EVIDENCE_SETTLED)
		return;
	at->pending.device_allocs++;
	at->pending.device_frees += is_free;
	at->pending.device_alloc_ns += duration_ns;
}

bool evidence_is_pinned(const struct evidence *evidence, uint32_t process, uint64_t address)
{
	for (size_t i = evidence->pinned_count; i > 0; i--) {
		const struct evidence_block *block = &evidence->pinned[i - 1];

		if (block->process == process && address - block->address < block->bytes)
			return true;
	}
	return false;
}

void evidence_copy(struct evidence *evidence, struct nest_place place,
		   const struct evidence_copy *copy)
{
	struct evidence_work *work = &evidence_process_at(evidence, place.process)->pending;

	work->copies_to_device++;
	work->copied_bytes += copy->bytes;
	work->copied_ns += copy->duration_ns;
	if (evidence_is_pinned(evidence, place.process, copy->source))
		return;
	if (copy->duration_ns < GAP_SHORT_NS) /* a longer call blocks the host */
		work->held_ns += copy->duration_ns;
	work->pageable_copies++;
	work->pageable_bytes += copy->bytes;
	work->pageable_ns += copy->duration_ns;
	evidence_tell(evidence, place, copy->duration_ns, EVIDENCE_HOLD_COPY);
}

void evidence_hidden_copy(struct evidence *evidence, struct nest_place place, uint64_t duration_ns)
{
	struct evidence_work *work = &evidence_process_at(evidence, place.process)->pending;

	work->hidden_copies++;
	work->hidden_copies_ns += duration_ns;
	work->held_copies_ns += duration_ns < GAP_SHORT_NS ? 0 : duration_ns;
	evidence_tell(evidence, place, duration_ns, EVIDENCE_HOLD_COPY);
}

void evidence_pin(struct evidence *evidence, uint32_t process, uint64_t address, uint64_t bytes)
{
	if (evidence->pinned_count >= PINNED_MAX)
		return;
	evidence->pinned = memory_room(evidence->pinned, evidence->pinned_count,
				       &evidence->pinned_room, sizeof(*evidence->pinned));
	evidence->pinned[evidence->pinned_count++] = (struct evidence_block){ address, bytes,
									      process };
}

void evidence_unpin(struct evidence *evidence, uint32_t process, uint64_t address)
{
	for (size_t i = evidence->pinned_count; i > 0; i--) {
		struct evidence_block *block = &evidence->pinned[i - 1];

		if (block->process != process || block->address != address)
			continue;
		*block = evidence->pinned[--evidence->pinned_count];
		return;
	}
}

/* --- memory and steps --- */

void evidence_tensors(struct evidence *evidence, uint32_t process, uint64_t bytes)
{
	evidence_process_at(evidence, process)->tensor_bytes += bytes;
}

/* The end of a step: its thread, and its gaps between operators. */
struct step_end {
	uint64_t heap_bytes, arena_bytes;
	uint32_t thread;
	struct gaps_sum gaps;
};

static void evidence_take_sample(struct evidence *evidence, struct evidence_process *process,
				 const struct step_end *end)
{
	size_t first_label = evidence->labels.count;
	unsigned int labels = step_labels_keep(&evidence->labels, &process->labels, end->thread);

	process->sample = memory_room(process->sample, process->sample_count, &process->sample_room,
				      sizeof(*process->sample));
	process->sample[process->sample_count++] = (struct evidence_sample){
		.tensor_bytes = (int64_t)process->tensor_bytes > 0 ? process->tensor_bytes : 0,
		.heap_bytes = end->heap_bytes,
		.arena_bytes = end->arena_bytes,
		.number = process->number,
		.operators = process->pending.operators,
		.graded = process->pending.graded,
		.gap_ns = end->gaps.longest_ns,
		.gap_place = end->gaps.longest,
		.recompiled = (uint32_t)process->pending.recompiled,
		.first_label = first_label,
		.labels = labels,
	};
}

/* Counts from the first settled step on, as long as the same thread ends the steps. */
static void note_scheduler(struct evidence_process *process, struct nest_place place,
			   const struct evidence_mark *mark)
{
	if (mark->number < EVIDENCE_SETTLED)
		return;
	if (!process->from.time_ns) {
		process->from = mark->now;
		process->thread = place.thread;
	}
	if (process->thread == place.thread)
		process->to = mark->now;
}

void evidence_step(struct evidence *evidence, struct nest_place place,
		   const struct evidence_mark *mark)
{
	struct evidence_process *at = evidence_process_at(evidence, place.process);
	bool counts = at->under_way && mark->counts && mark->number == at->number + 1;
	bool settled = at->number >= EVIDENCE_SETTLED;
	struct gaps_step gaps = { counts, settled && !at->pending.recompiled };
	struct step_end end = { mark->heap_bytes, mark->arena_bytes, place.thread,
				gaps_step(&evidence->gaps, place.thread, &gaps) };

	at->pending.short_gaps_ns = end.gaps.short_ns;
	at->pending.small_operators_ns = end.gaps.small_ns;
	at->pending.host_operators_ns = end.gaps.host_ns;
	if (at->pending.recompiled) /* regions of these steps compile */
		at->pending.graph_breaks_ns = 0;
	at->pending.typed_ns = at->pending.typed_steps ? place.time_ns - at->since_ns : 0;
	if (counts) {
		at->pending.settled_steps = settled;
#define FIELD(name) evidence->work.name += at->pending.name;
		EVIDENCE_WORK(FIELD)
#undef FIELD
		if (!settled)
			at->early[at->number] = at->pending;
		evidence_take_sample(evidence, at, &end);
	}
	note_scheduler(at, place, mark);
	memset(&at->pending, 0, sizeof(at->pending));
	at->labels.count = 0;
	at->under_way = true;
	at->number = mark->number;
	at->since_ns = place.time_ns;
}

static int compare_number(const void *key, const void *entry)
{
	uint64_t number = *(const uint64_t *)key;
	const struct evidence_sample *sample = entry;

	return number < sample->number ? -1 : number > sample->number;
}

const struct evidence_sample *evidence_sample_of(const struct evidence *evidence, uint32_t process,
						 uint64_t number)
{
	if (process >= evidence->process_room || !evidence->process[process].sample_count)
		return NULL;
	return bsearch(&number, evidence->process[process].sample,
		       evidence->process[process].sample_count, sizeof(struct evidence_sample),
		       compare_number);
}

const struct evidence_process *evidence_longest(const struct evidence *evidence)
{
	const struct evidence_process *longest = NULL;

	for (size_t i = 0; i < evidence->process_room; i++)
		if (evidence->process[i].sample_count > (longest ? longest->sample_count : 0))
			longest = &evidence->process[i];
	return longest;
}
