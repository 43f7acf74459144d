/* SPDX-License-Identifier: MIT */
/* What advice rests on: see evidence.h. */
#include "report/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "report/memory.h"

#define SCOPE_USER 7u   /* at::RecordScope::USER_SCOPE */
#define LOOKS_MAX 1024u /* open scopes that are looked at for the one that ends */

struct evidence_scope {
	uint64_t start_ns;
	uint32_t kind;
};

struct evidence_thread {
	struct evidence_scope *scope; /* innermost last */
	size_t count, room;
	uint32_t optimizers, items, loaders; /* of them */
	uint32_t epoch;                      /* of its process when `scope` was last right */
};

struct evidence_block {
	uint64_t address, bytes;
	uint32_t process;
};

void evidence_release(struct evidence *evidence)
{
	for (size_t i = 0; i < evidence->thread_room; i++)
		free(evidence->thread[i].scope);
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

static struct evidence_thread *thread_at(struct evidence *evidence,
					 const struct evidence_place *place)
{
	uint32_t epoch = process_at(evidence, place->process)->epoch;
	struct evidence_thread *thread;

	evidence->thread = memory_room(evidence->thread, place->thread, &evidence->thread_room,
				       sizeof(*evidence->thread));
	thread = &evidence->thread[place->thread];
	if (thread->epoch != epoch) {
		thread->epoch = epoch;
		thread->count = 0;
		thread->optimizers = thread->items = thread->loaders = 0;
	}
	return thread;
}

/* --- scopes --- */

static void count_opening(struct evidence_work *work, const struct evidence_thread *thread,
			  enum evidence_kind kind)
{
	bool is_operator = kind == EVIDENCE_OPERATOR || kind == EVIDENCE_ITEM ||
			   kind == EVIDENCE_GROUPED;

	work->operators += is_operator;
	if (is_operator && thread->count &&
	    thread->scope[thread->count - 1].kind == EVIDENCE_OPTIMIZER) {
		work->optimizer_operators++;
		work->optimizer_grouped += kind == EVIDENCE_GROUPED;
	}
}

void evidence_open(struct evidence *evidence, const struct evidence_place *place,
		   enum evidence_kind kind)
{
	struct evidence_thread *thread = thread_at(evidence, place);

	count_opening(&process_at(evidence, place->process)->pending, thread, kind);
	thread->scope = memory_room(thread->scope, thread->count, &thread->room,
				    sizeof(*thread->scope));
	thread->scope[thread->count++] = (struct evidence_scope){ place->time_ns, kind };
	thread->optimizers += kind == EVIDENCE_OPTIMIZER;
	thread->items += kind == EVIDENCE_ITEM;
	thread->loaders += kind == EVIDENCE_DATALOADER;
}

void evidence_close(struct evidence *evidence, const struct evidence_place *place)
{
	struct evidence_thread *thread = thread_at(evidence, place);
	struct evidence_work *work = &process_at(evidence, place->process)->pending;
	struct evidence_scope scope;
	uint64_t took_ns;

	if (!thread->count)
		return;
	scope = thread->scope[--thread->count];
	took_ns = place->time_ns > scope.start_ns ? place->time_ns - scope.start_ns : 0;
	thread->optimizers -= scope.kind == EVIDENCE_OPTIMIZER;
	thread->items -= scope.kind == EVIDENCE_ITEM;
	thread->loaders -= scope.kind == EVIDENCE_DATALOADER;
	if (scope.kind == EVIDENCE_OPTIMIZER && !thread->optimizers) {
		work->optimizer_steps++;
		work->optimizer_ns += took_ns;
	} else if (scope.kind == EVIDENCE_ZERO_GRAD) {
		work->zero_grad_ns += took_ns;
	} else if (scope.kind == EVIDENCE_ITEM && !thread->items && !thread->optimizers &&
		   !thread->loaders) {
		work->items++;
		work->item_ns += took_ns;
	}
}

void evidence_close_one(struct evidence *evidence, const struct evidence_place *place,
			enum evidence_kind kind)
{
	struct evidence_thread *thread = thread_at(evidence, place);
	size_t at = thread->count, least = at > LOOKS_MAX ? at - LOOKS_MAX : 0;
	struct evidence_scope scope;

	while (at > least && thread->scope[at - 1].kind != kind)
		at--;
	if (at == least)
		return;
	scope = thread->scope[at - 1];
	memmove(&thread->scope[at - 1], &thread->scope[at], (thread->count - at) * sizeof(scope));
	thread->scope[thread->count - 1] = scope;
	evidence_close(evidence, place);
}

void evidence_interrupt(struct evidence *evidence, uint32_t process)
{
	struct evidence_process *at = process_at(evidence, process);

	at->under_way = false;
	at->epoch++;
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
