/* SPDX-License-Identifier: MIT */
/*
 * The heap of all processes over time: see heap.h. The hot path of the report: an event costs one
 * look-up among the process's blocks and, for an allocation, one among its callers.
 *
 * A brief block is put into a place of its own without a look among the others: the thread that got
 * it had given that address back itself, so that it cannot be there. Whoever frees it looks at that
 * place first. What the place has no room for goes to the others.
 */
#include "report/heap/heap.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/vast.h"
#include "report/heap/heap_state.h"
#include "report/heap/live_blocks.h"
#include "report/stacks/stack_share.h"

void heap_init(struct heap *heap, enum heap_by by)
{
	*heap = (struct heap){ .by = by, .layers_due_ns = LAYERS_NEVER, .look_due = HEAP_NO_LOOK };
	curve_init(&heap->curve);
	map_init(&heap->key_rows);
	if (by == HEAP_BY_STACK)
		heap->share = memory_zero(1, sizeof(*heap->share));
}

static void process_release(struct heap_process *process)
{
	free(process->young);
	free(process->site_row);
	free(process->changed);
	map_release(&process->blocks);
	map_release(&process->large);
	map_release(&process->sampled);
	map_release(&process->callers);
	pages_release(&process->stacks);
	free(process);
}

void heap_release(struct heap *heap)
{
	for (size_t i = 0; i < heap->process_room; i++)
		if (heap->process[i])
			process_release(heap->process[i]);
	while (heap->ended) {
		struct heap_process *process = heap->ended;

		heap->ended = process->next_ended;
		process_release(process);
	}
	free(heap->process);
	free(heap->thread);
	vast_release(heap->row, heap->row_room, sizeof(*heap->row));
	free(heap->estimate);
	free(heap->share);
	map_release(&heap->key_rows);
	if (heap->layers)
		layers_release(heap->layers);
	free(heap->layers);
}

/* --- what it consists of over time --- */

void heap_keep_layers(struct heap *heap)
{
	if (heap->layers)
		return;
	heap->layers = memory_zero(1, sizeof(*heap->layers));
	layers_init(heap->layers);
	heap->layers_due_ns = heap->layers->due_ns;
}

static uint64_t row_live_bytes(const void *owner, size_t row)
{
	return ((const struct heap *)owner)->row[row].live_bytes;
}

void heap_look_layers(struct heap *heap, uint64_t time_ns)
{
	layers_look(heap->layers, time_ns, heap->totals.live_bytes, heap, heap->row_count,
		    row_live_bytes);
	heap->layers_due_ns = heap->layers->due_ns;
}

/* --- which rows change --- */

void heap_keep_changes(struct heap *heap)
{
	heap->keeps_changes = true;
}

void heap_note_change(struct heap *heap, struct heap_process *process, uint32_t number)
{
	struct heap_row *row = &heap->row[number];

	if (row->changes_seen == process->changes + 1)
		return;
	row->changes_seen = process->changes + 1;
	process->changed = memory_room(process->changed, process->changed_count,
				       &process->changed_room, sizeof(*process->changed));
	process->changed[process->changed_count++] = number;
}

size_t heap_take_changes(struct heap *heap, uint32_t index, const uint32_t **ret_rows)
{
	struct heap_process *process;
	size_t count;

	heap_drain(heap);
	process = heap_process_at(heap, index);
	count = process->changed_count;
	process->changed_count = 0;
	process->changes++;
	*ret_rows = process->changed;
	return count;
}

void heap_change_live(struct heap *heap)
{
	heap_drain(heap);
	for (uint32_t i = 0; i < heap->row_count; i++)
		if (heap->row[i].live_bytes)
			heap_note_change(heap, heap_process_at(heap, heap->row[i].process), i);
}

struct heap_process *heap_add_process(struct heap *heap, uint32_t index)
{
	struct heap_process *process = memory_zero(1, sizeof(*process));

	heap->process = memory_room(heap->process, index, &heap->process_room,
				    sizeof(struct heap_process *));
	map_init_addresses(&process->blocks);
	map_init(&process->large);
	map_init_addresses(&process->sampled);
	map_init(&process->callers);
	process->index = index;
	heap->process[index] = process;
	return process;
}

static uint32_t heap_add_row(struct heap *heap, const struct heap_op *op, uint64_t key)
{
	struct heap_row *row;

	heap->row = vast_room(heap->row, heap->row_count, &heap->row_room, sizeof(*heap->row));
	row = &heap->row[heap->row_count];
	row->key = key;
	row->last_ns = op->time_ns;
	row->process = op->process;
	row->peak_seen = heap->peak_number;
	heap->row_count++;
	if (heap->may_estimate)
		estimate_add_row(heap, op->process);
	return (uint32_t)(heap->row_count - 1);
}

static uint32_t heap_row_of_stack(struct heap *heap, struct heap_process *process,
				  const struct heap_op *op)
{
	uint32_t *row = pages_place(&process->stacks, (uint32_t)op->caller);

	if (!*row)
		*row = heap_add_row(heap, op, op->caller) + 1;
	return *row - 1;
}

uint32_t heap_row_of(struct heap *heap, struct heap_process *process, const struct heap_op *op)
{
	struct map *rows = &heap->key_rows;
	struct map_entry *entry;
	uint64_t key;
	bool added;

	if (process->forgets_callers) {
		map_clear(&process->callers);
		pages_release(&process->stacks);
		process->forgets_callers = false;
	}
	switch (heap->by) {
	case HEAP_BY_STACK:
		return heap_row_of_stack(heap, process, op);
	case HEAP_BY_CALLER:
		rows = &process->callers;
		key = op->caller;
		break;
	case HEAP_BY_SIZE:
		key = size_class(op->size);
		break;
	default:
		key = op->caller;
		break;
	}
	/* an address of all ones is no caller, so it may share its neighbour's row */
	entry = map_put(rows, key + (key != UINT64_MAX), &added);
	if (added)
		entry->value = heap_add_row(heap, op, key);
	return (uint32_t)entry->value;
}

struct map_entry *heap_find_block(struct heap_process *process, uint64_t address)
{
	young_settle(process, address);
	return map_find(&process->blocks, address);
}

/* An allocation at a live address: the free was lost, or comes within the tolerance. */
void heap_displace(struct heap *heap, struct heap_process *process, struct map_entry *block,
		   const struct heap_op *op)
{
	uint32_t row = (uint32_t)(block->value >> 32);
	uint64_t size = block_size(process, block);
	uint64_t every = block_every_take(process, block->key);

	if (!every)
		recents_put(&process->displaced,
			    (struct recent){ block->key, op->time_ns, size, op->thread, row });
	if ((uint32_t)block->value == SIZE_LARGE)
		map_remove(&process->large, map_find(&process->large, block->key));
	if (row == ROW_OUTSIDE)
		return;
	heap->totals.reused++;
	heap_live_drop(heap, process, row, size, every, op->time_ns);
}

static void heap_allocate(struct heap *heap, const struct heap_op *op, uint32_t known_row)
{
	struct heap_process *process = heap_process_at(heap, op->process);
	uint32_t row = ROW_OUTSIDE;
	struct recent early;
	struct map_entry *block;
	bool added;

	if (op->counts) {
		row = known_row ? known_row - 1 : heap_row_of(heap, process, op);
		heap_count_allocation(heap, row, op);
	}
	if (process->frees.count &&
	    recents_take(&process->frees, op->address, op->time_ns, op->thread, &early)) {
		heap_thread_at(heap, op->thread)->last_allocated = 0;
		heap->totals.frees_unmatched -= early.row;
		heap_count_free(heap, row, op->size, op->every);
		return;
	}
	young_settle(process, op->address);
	if (!op->brief || !young_put(process, op->address, op->size, row)) {
		block = map_put(&process->blocks, op->address, &added);
		if (!added)
			heap_displace(heap, process, block, op);
		block_set(process, block, row, op->size);
	}
	if (op->every)
		map_put(&process->sampled, op->address, &added)->value = op->every;
	/* of a sample, nobody knows which event of the heap was the thread's next */
	heap_thread_at(heap, op->thread)->last_allocated = op->every ? 0 : op->address;
	if (op->counts)
		heap_live_add(heap, process, row, op->size, op->every, op->time_ns);
}

/* A free without a live block. `row` of its entry: the row whose frees_unmatched it raised. */
static void heap_free_unmatched(struct heap *heap, struct heap_process *process,
				const struct heap_op *op, struct heap_undo *undo)
{
	heap->totals.frees_unmatched += op->counts && !heap->from_ns;
	recents_put(&process->frees, (struct recent){ op->address, op->time_ns, 0, op->thread,
						      op->counts && !heap->from_ns });
	*undo = (struct heap_undo){ .address = op->address,
				    .counts = op->counts && !heap->from_ns };
}

/* The free of a block that a later allocation has already displaced. */
static bool heap_free_displaced(struct heap *heap, struct heap_process *process,
				const struct heap_op *op)
{
	struct recent old;

	if (!recents_take(&process->displaced, op->address, op->time_ns, op->thread, &old))
		return false;
	if (old.row != ROW_OUTSIDE)
		heap->totals.reused--;
	heap_count_free(heap, old.row, old.size, 0);
	return true;
}

static void heap_free(struct heap *heap, const struct heap_op *op)
{
	struct heap_process *process = heap_process_at(heap, op->process);
	struct heap_thread *thread = heap_thread_at(heap, op->thread);
	bool temporary = thread->last_allocated == op->address;
	uint32_t row;
	uint64_t size, every;

	thread->last_allocated = 0;
	if (process->displaced.count && heap_free_displaced(heap, process, op)) {
		thread->undo.address = 0;
		return;
	}
	if (!heap_take_block(process, op->address, &row, &size)) {
		heap_free_unmatched(heap, process, op, &thread->undo);
		return;
	}
	every = block_every_take(process, op->address);
	if (op->kind == HEAP_REALLOC_FREE)
		thread->undo = (struct heap_undo){ op->address, size,      row,  true,
						   true,        temporary, every };
	heap_count_free(heap, row, size, every);
	if (row == ROW_OUTSIDE)
		return;
	heap->row[row].temporary_allocations += temporary;
	heap->totals.temporary_allocations += temporary;
	heap_live_drop(heap, process, row, size, every, op->time_ns);
}

static void heap_take_back_free(struct heap *heap, const struct heap_undo *undo)
{
	const struct weight weight = weight_of(undo->size, undo->every);

	if (undo->every) {
		sampled_restore_free(heap, &weight);
		return;
	}
	heap->totals.frees--;
	heap->totals.bytes_freed -= undo->size;
}

/* realloc() has kept the block of the thread's last realloc_free: undoes that free. */
static void heap_restore(struct heap *heap, const struct heap_op *op)
{
	struct heap_process *process = heap_process_at(heap, op->process);
	struct heap_thread *thread = heap_thread_at(heap, op->thread);
	struct heap_undo undo = thread->undo;
	struct map_entry *block;
	bool added;

	thread->undo.address = 0;
	thread->last_allocated = 0;
	if (!undo.address || undo.address != op->address)
		return;
	/* the failed call changed nothing: its free may still be the next event */
	if (undo.temporary)
		thread->last_allocated = op->address;
	heap->totals.reallocs_failed += op->counts;
	if (!undo.matched) {
		heap->totals.frees_unmatched -= undo.counts;
		process->frees.count = process->frees.next = 0;
		return;
	}
	young_settle(process, undo.address);
	block = map_put(&process->blocks, undo.address, &added);
	if (!added)
		return;
	block_set(process, block, undo.row, undo.size);
	if (undo.every)
		map_put(&process->sampled, undo.address, &added)->value = undo.every;
	if (undo.row == ROW_OUTSIDE)
		return;
	heap_take_back_free(heap, &undo);
	heap->totals.temporary_allocations -= undo.temporary;
	heap->row[undo.row].temporary_allocations -= undo.temporary;
	heap_live_add(heap, process, undo.row, undo.size, undo.every, op->time_ns);
}

/*
 * As heap_apply(), in a process that was left: what was allocated counts, which blocks live does
 * not.
 */
static void heap_apply_left(struct heap *heap, const struct heap_op *op, uint32_t known_row)
{
	struct heap_process *process = heap_process_at(heap, op->process);
	struct heap_thread *thread = heap_thread_at(heap, op->thread);
	bool temporary = op->kind != HEAP_ALLOCATION && thread->last_allocated == op->address &&
			 thread->last_row && thread->last_window == process->left;

	heap->totals.temporary_allocations += temporary;
	if (temporary)
		heap->row[thread->last_row - 1].temporary_allocations++;
	thread->last_allocated = 0;
	thread->last_row = 0;
	if (op->kind != HEAP_ALLOCATION)
		return;
	thread->last_allocated = op->address;
	thread->last_window = process->left;
	if (!op->counts)
		return;
	thread->last_row = known_row ? known_row : heap_row_of(heap, process, op) + 1;
	heap_count_allocation(heap, thread->last_row - 1, op);
}

void heap_apply(struct heap *heap, const struct heap_op *op, uint32_t row)
{
	if (__builtin_expect(heap_process_at(heap, op->process)->left, 0)) {
		heap_apply_left(heap, op, row);
		return;
	}
	if (__builtin_expect(op->time_ns >= heap->layers_due_ns, 0))
		heap_look_layers(heap, op->time_ns);
	switch (op->kind) {
	case HEAP_ALLOCATION:
		heap_allocate(heap, op, row);
		break;
	case HEAP_FREE:
	case HEAP_REALLOC_FREE:
		heap_free(heap, op);
		break;
	case HEAP_REALLOC_FAILED:
		heap_restore(heap, op);
		break;
	}
}

void heap_drain(struct heap *heap)
{
	for (unsigned int i = 0; i < heap->queued; i++)
		heap_apply(heap, &heap->queue[i], 0);
	heap->queued = 0;
}

void heap_take(struct heap *heap, const struct heap_op *op)
{
	struct heap_process *process;

	if (op->time_ns < heap->from_ns)
		return;
	if (!op->address)
		return; /* no block has that address; only damaged files get here */
	if (heap->queued == HEAP_QUEUE)
		heap_drain(heap);
	heap->queue[heap->queued++] = *op;
	process = heap_process_at(heap, op->process);
	if (!op->brief && !young_find(process, op->address))
		map_prefetch(&process->blocks, op->address);
}

void heap_distrust(struct heap *heap, uint32_t process)
{
	heap_drain(heap);
	heap_process_at(heap, process)->distrusts = true;
}

void heap_enter(struct heap *heap, uint32_t process)
{
	heap_drain(heap);
	if (!heap_process_at(heap, process)->left)
		heap_process_at(heap, process)->distrusts = true;
}

void heap_leave(struct heap *heap, uint32_t process)
{
	heap_drain(heap);
	heap_process_at(heap, process)->left++;
}

uint64_t heap_live_bytes(struct heap *heap)
{
	heap_drain(heap);
	return heap->totals.live_bytes;
}

uint64_t heap_live_bytes_of(struct heap *heap, uint32_t index)
{
	const struct heap_process *process = NULL;

	heap_drain(heap);
	if (index < heap->process_room)
		process = heap->process[index];
	if (process)
		return process->live_bytes;
	for (process = heap->ended; process && process->index != index;)
		process =
			/* callers ask soon after the process has ended, so it is among the first */
			process->next_ended;
	return process ? process->live_bytes : 0;
}

/* --- what lived when programs were done --- */

/* A block that lives, and what it stands for. */
struct held_block {
	uint32_t row;
	uint64_t size;
	bool is_sampled;
	struct weight weight;
};

static void row_keep(struct heap *heap, struct heap_process *process,
		     const struct held_block *block)
{
	struct heap_totals *totals = &heap->totals;
	struct heap_row *row = &heap->row[block->row];

	(void)process;
	if (heap->estimate)
		estimate_keep(heap, block->row, block->weight.bytes);
	weight_count(&row->kept_allocations, &row->kept_fraction, block->weight.blocks);
	row->kept_bytes += block->weight.bytes;
	row->kept_variance += block->weight.variance;
	weight_count(&totals->kept_allocations, &totals->kept_fraction, block->weight.blocks);
	totals->kept_bytes += block->weight.bytes;
	totals->kept_variance += block->weight.variance;
}

typedef void take_held(struct heap *heap, struct heap_process *process,
		       const struct held_block *block);

/* `size`: that of `young` has fewer bits than a block may have. */
static void held_give(struct heap *heap, struct heap_process *process, take_held *take,
		      const struct heap_young *young, uint64_t size)
{
	const struct map_entry *sampled = NULL;
	uint64_t every;

	if (young->row == ROW_OUTSIDE)
		return;
	if (process->sampled.count)
		sampled = map_find(&process->sampled, young->address);
	every = sampled ? sampled->value : 0;
	take(heap, process,
	     &(struct held_block){ young->row, size, every != 0, weight_of(size, every) });
}

/* Visits all live blocks of the process that count. */
static void process_each(struct heap *heap, struct heap_process *process, take_held *take)
{
	struct map_entry *block = NULL;

	while ((block = map_next(&process->blocks, block)))
		held_give(heap, process, take,
			  &(struct heap_young){ block->key, (uint32_t)(block->value >> 32), 0 },
			  block_size(process, block));
	for (size_t i = 0; process->young && i < 1u << YOUNG_BITS; i++)
		if (process->young[i].address)
			held_give(heap, process, take, &process->young[i], process->young[i].size);
}

static void process_keep(struct heap *heap, struct heap_process *process)
{
	process->is_done = true;
	process_each(heap, process, row_keep);
}

void heap_end_program(struct heap *heap, uint32_t process)
{
	heap_drain(heap);
	if (process >= heap->process_room || !heap->process[process] ||
	    heap->process[process]->is_done)
		return;
	heap->has_ends = true;
	process_keep(heap, heap->process[process]);
}

bool heap_program_is_done(const struct heap *heap, uint32_t process)
{
	return process < heap->process_room && heap->process[process] &&
	       heap->process[process]->is_done;
}

/* --- processes that have ended --- */

/* The process's own sum is what it held at its end. */
static void row_let_go(struct heap *heap, struct heap_process *process,
		       const struct held_block *block)
{
	uint64_t live_bytes = process->live_bytes;
	bool keeps_changes = heap->keeps_changes;

	heap->keeps_changes = false;
	if (block->is_sampled) {
		sampled_live_drop(heap, process, block->row, &block->weight);
	} else {
		heap_live_drop_from_row(heap, process, block->row, block->size);
		heap->totals.live_allocations--;
		heap->totals.live_bytes -= block->size;
	}
	heap->keeps_changes = keeps_changes;
	process->live_bytes = live_bytes;
}

/* Blocks that were never freed are live in the rows at the end. Peaks are complete by then. */
static void row_restore(struct heap *heap, struct heap_process *process,
			const struct held_block *block)
{
	uint64_t live_bytes = process->live_bytes;
	bool keeps_changes = heap->keeps_changes;

	heap->keeps_changes = false;
	if (block->is_sampled) {
		sampled_live_add(heap, process, block->row, &block->weight);
	} else {
		heap_live_add_to_row(heap, process, block->row, block->size);
		heap->totals.live_allocations++;
		heap->totals.live_bytes += block->size;
	}
	heap->keeps_changes = keeps_changes;
	process->live_bytes = live_bytes;
}

void heap_look_at(struct heap *heap, uint64_t allocations,
		  void (*look)(void *looker, uint64_t time_ns), void *looker)
{
	heap->look_due = allocations;
	heap->look = look;
	heap->looker = looker;
}

void heap_end_process(struct heap *heap, uint32_t index, uint64_t time_ns)
{
	struct heap_process *process;

	heap_drain(heap);
	if (index >= heap->process_room || !heap->process[index])
		return;
	if (time_ns >= heap->layers_due_ns)
		heap_look_layers(heap, time_ns);
	process = heap->process[index];
	process_each(heap, process, row_let_go);
	curve_put(&heap->curve, time_ns, heap->totals.live_bytes);
	process->next_ended = heap->ended;
	process->ended_ns = time_ns;
	heap->ended = process;
	heap->process[index] = NULL; /* late events begin a new process, without blocks */
}

struct held {
	const struct heap *heap;
	uint64_t *ended; /* by row: bytes of ended processes; NULL: none */
};

static void held_add(struct heap *heap, struct heap_process *process,
		     const struct held_block *block)
{
	(void)process;
	heap->held[block->row] += block->weight.bytes;
}

static uint64_t heap_row_held_bytes(const void *owner, size_t row)
{
	const struct held *held = owner;

	return held->heap->row[row].live_bytes - (held->ended ? held->ended[row] : 0);
}

/* Returns whether the process was the last to run: its end is the end of the recording. */
static bool is_last(const struct heap *heap, const struct heap_process *process)
{
	for (size_t i = 0; i < heap->process_room; i++)
		if (heap->process[i])
			return false;
	return process->ended_ns == heap->ended->ended_ns;
}

const struct layers *heap_end_layers(struct heap *heap, uint64_t end_ns)
{
	struct held held = { .heap = heap };
	uint64_t bytes = heap->totals.live_bytes;

	if (heap->layers_due_ns == LAYERS_NEVER)
		return heap->layers;
	if (heap->ended)
		held.ended = heap->held = memory_zero(heap->row_count, sizeof(*held.ended));
	for (struct heap_process *process = heap->ended; process; process = process->next_ended)
		if (!is_last(heap, process))
			process_each(heap, process, held_add);
	for (size_t i = 0; held.ended && i < heap->row_count; i++)
		bytes -= held.ended[i];
	layers_end(heap->layers, end_ns, bytes, &held, heap->row_count, heap_row_held_bytes);
	heap->layers_due_ns = LAYERS_NEVER;
	free(held.ended);
	heap->held = NULL;
	return heap->layers;
}

/* --- the end --- */

/* For a process whose remaining blocks were not counted yet, those at its end count. */
static void heap_finish_kept(struct heap *heap)
{
	for (size_t i = 0; i < heap->process_room; i++)
		if (heap->process[i] && !heap->process[i]->is_done && heap->has_ends)
			process_keep(heap, heap->process[i]);
	for (struct heap_process *process = heap->ended; process; process = process->next_ended)
		if (!process->is_done && heap->has_ends)
			process_keep(heap, process);
	for (size_t i = 0; i < heap->row_count && !heap->has_ends; i++) {
		heap->row[i].kept_allocations = heap->row[i].live_allocations;
		heap->row[i].kept_bytes = heap->row[i].live_bytes;
		heap->row[i].kept_variance = heap->row[i].live_variance;
		heap->row[i].kept_fraction = heap->row[i].live_fraction;
	}
	if (!heap->has_ends) {
		heap->totals.kept_allocations = heap->totals.live_allocations;
		heap->totals.kept_bytes = heap->totals.live_bytes;
		heap->totals.kept_variance = heap->totals.live_variance;
		heap->totals.kept_fraction = heap->totals.live_fraction;
	}
}

static void heap_forget_rows(struct heap_process *process)
{
	process->forgets_callers = true;
	process->site_frame = 0;
}

void heap_forget_callers(struct heap *heap, uint32_t process)
{
	heap_drain(heap);
	if ((heap->by == HEAP_BY_CALLER || heap->by == HEAP_BY_STACK) &&
	    process < heap->process_room && heap->process[process])
		heap_forget_rows(heap->process[process]);
}

void heap_finish(struct heap *heap)
{
	heap_drain(heap);
	for (size_t i = 0; i < heap->row_count; i++)
		heap_row_keep_peak(heap, &heap->row[i]);
	for (struct heap_process *process = heap->ended; process; process = process->next_ended)
		process_each(heap, process, row_restore);
	heap_finish_kept(heap);
	estimate_finish(heap, heap->has_ends);
	if (heap->totals.sampled)
		sampled_settle(heap);
}
