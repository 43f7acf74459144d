/* SPDX-License-Identifier: MIT */
/* What advice rests on: see evidence.h. */
#include "report/advice/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

#define SCOPE_USER 7u /* at::RecordScope::USER_SCOPE */

struct evidence_thread {
	uint32_t process;
	uint32_t optimizers, items, loaders; /* open scopes */
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
}

void evidence_release(struct evidence *evidence)
{
	nest_release(&evidence->nest);
	for (size_t i = 0; i < evidence->process_room; i++)
		free(evidence->process[i].sample);
	free(evidence->thread);
	free(evidence->process);
	free(evidence->pinned);
}

/* --- names --- */

static bool begins_with(const char *name, size_t length, const char *text)
{
	size_t wanted = strlen(text);

	return length >= wanted && !memcmp(name, text, wanted);
}

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

	if (begins_with(name, length, "Optimizer.step#"))
		return EVIDENCE_OPTIMIZER;
	if (begins_with(name, length, "Optimizer.zero_grad#"))
		return EVIDENCE_ZERO_GRAD;
	if (begins_with(name, length, "enumerate(DataLoader)#"))
		return EVIDENCE_DATALOADER;
	if (scope == SCOPE_USER)
		return EVIDENCE_LABEL;
	if (is_one_of(name, length, items))
		return EVIDENCE_ITEM;
	if (begins_with(name, length, "aten::_foreach_") ||
	    begins_with(name, length, "aten::_fused_"))
		return EVIDENCE_GROUPED;
	return EVIDENCE_OPERATOR;
}

enum evidence_kind evidence_kind_of_call(const char *name, size_t length)
{
	static const char *const waits[] = { "cudaStreamSynchronize",    "cudaDeviceSynchronize",
					     "cudaEventSynchronize",     "cuStreamSynchronize",
					     "cuCtxSynchronize",         "cuEventSynchronize",
					     "cuStreamSynchronize_ptsz", NULL };
	bool copies = begins_with(name, length, "cudaMemcpy") ||
		      begins_with(name, length, "cuMemcpy");

	if (is_one_of(name, length, waits))
		return EVIDENCE_WAITS;
	return copies && !memmem(name, length, "Async", 5) ? EVIDENCE_WAITS : EVIDENCE_FUNCTION;
}

/* --- places --- */

static struct evidence_process *process_at(struct evidence *evidence, uint32_t process)
{
	evidence->process = memory_room(evidence->process, process, &evidence->process_room,
					sizeof(*evidence->process));
	return &evidence->process[process];
}

static struct evidence_thread *thread_at(struct evidence *evidence, struct nest_place place)
{
	evidence->thread = memory_room(evidence->thread, place.thread, &evidence->thread_room,
				       sizeof(*evidence->thread));
	evidence->thread[place.thread].process = place.process;
	return &evidence->thread[place.thread];
}

/* --- scopes --- */

/* `around`: the scope that it opens in. */
static void count_opening(struct evidence_work *work, const struct nest_scope *around,
			  enum evidence_kind kind)
{
	bool is_operator = kind == EVIDENCE_OPERATOR || kind == EVIDENCE_ITEM ||
			   kind == EVIDENCE_GROUPED;

	work->operators += is_operator;
	if (is_operator && around && around->key == EVIDENCE_OPTIMIZER) {
		work->optimizer_operators++;
		work->optimizer_grouped += kind == EVIDENCE_GROUPED;
	}
}

void evidence_open(struct evidence *evidence, struct nest_place place, enum evidence_kind kind)
{
	struct evidence_thread *thread = thread_at(evidence, place);
	uint32_t around = nest_innermost(&evidence->nest, place.thread);

	count_opening(&process_at(evidence, place.process)->pending,
		      around == NEST_NONE ? NULL : &evidence->nest.scope[around], kind);
	(void)nest_begin(&evidence->nest, place, kind, false);
	thread->optimizers += kind == EVIDENCE_OPTIMIZER;
	thread->items += kind == EVIDENCE_ITEM;
	thread->loaders += kind == EVIDENCE_DATALOADER;
}

static void evidence_scope_ended(void *state, const struct nest_end *end)
{
	struct evidence *evidence = state;
	struct evidence_thread *thread = &evidence->thread[end->thread];
	struct evidence_work *work = &process_at(evidence, thread->process)->pending;

	thread->optimizers -= end->key == EVIDENCE_OPTIMIZER;
	thread->items -= end->key == EVIDENCE_ITEM;
	thread->loaders -= end->key == EVIDENCE_DATALOADER;
	if (end->how != NEST_ENDS)
		return;
	if (end->key == EVIDENCE_OPTIMIZER && !thread->optimizers) {
		work->optimizer_steps++;
		work->optimizer_ns += end->total_ns;
	} else if (end->key == EVIDENCE_ZERO_GRAD) {
		work->zero_grad_ns += end->total_ns;
	} else if (end->key == EVIDENCE_ITEM && !thread->items && !thread->optimizers &&
		   !thread->loaders) {
		work->items++;
		work->item_ns += end->total_ns;
	}
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
}

void evidence_interrupt(struct evidence *evidence, uint32_t process)
{
	process_at(evidence, process)->under_way = false;
}

/* --- CUDA --- */

void evidence_wait(struct evidence *evidence, uint32_t process, uint64_t duration_ns)
{
	struct evidence_work *work = &process_at(evidence, process)->pending;

	work->sync_calls++;
	work->sync_ns += duration_ns;
}

void evidence_device_memory(struct evidence *evidence, uint32_t process, uint64_t duration_ns)
{
	struct evidence_process *at = process_at(evidence, process);

	if (at->number < EVIDENCE_SETTLED)
		return;
	at->pending.device_allocs++;
	at->pending.device_alloc_ns += duration_ns;
}

static bool is_pinned(const struct evidence *evidence, uint32_t process, uint64_t address)
{
	for (size_t i = evidence->pinned_count; i > 0; i--) {
		const struct evidence_block *block = &evidence->pinned[i - 1];

		if (block->process == process && address - block->address < block->bytes)
			return true;
	}
	return false;
}

void evidence_copy(struct evidence *evidence, uint32_t process, const struct evidence_copy *copy)
{
	struct evidence_work *work = &process_at(evidence, process)->pending;

	work->copies_to_device++;
	if (is_pinned(evidence, process, copy->source))
		return;
	work->pageable_copies++;
	work->pageable_bytes += copy->bytes;
	work->pageable_ns += copy->duration_ns;
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
	process_at(evidence, process)->tensor_bytes += bytes;
}

static void take_sample(struct evidence_process *process, uint64_t heap_bytes)
{
	process->sample = memory_room(process->sample, process->sample_count, &process->sample_room,
				      sizeof(*process->sample));
	process->sample[process->sample_count++] = (struct evidence_sample){
		(int64_t)process->tensor_bytes > 0 ? process->tensor_bytes : 0, heap_bytes
	};
}

void evidence_step(struct evidence *evidence, uint32_t process, const struct evidence_mark *mark)
{
	struct evidence_process *at = process_at(evidence, process);

	if (at->under_way && mark->counts && mark->number == at->number + 1) {
		at->pending.settled_steps = at->number >= EVIDENCE_SETTLED;
#define FIELD(name) evidence->work.name += at->pending.name;
		EVIDENCE_WORK(FIELD)
#undef FIELD
		if (at->number < EVIDENCE_SETTLED)
			at->early[at->number] = at->pending;
		take_sample(at, mark->heap_bytes);
	}
	memset(&at->pending, 0, sizeof(at->pending));
	at->under_way = true;
	at->number = mark->number;
}

const struct evidence_process *evidence_longest(const struct evidence *evidence)
{
	const struct evidence_process *longest = NULL;

	for (size_t i = 0; i < evidence->process_room; i++)
		if (evidence->process[i].sample_count > (longest ? longest->sample_count : 0))
			longest = &evidence->process[i];
	return longest;
}
