/* SPDX-License-Identifier: MIT */
/*
 * The live blocks of a process, inlined for loops over millions of events: heap.c and
 * heap_records.c. Not for others.
 */
#ifndef REPORT_HEAP_LIVE_BLOCKS_H
#define REPORT_HEAP_LIVE_BLOCKS_H

#include "report/heap/heap_state.h"

/* --- sums of rows --- */

/* Adds to the row and the process; the caller updates the heap's totals. */
static inline void heap_live_add_to_row(struct heap *heap, struct heap_process *process,
					uint32_t row_number, uint64_t size)
{
	struct heap_row *row = &heap->row[row_number];

	if (__builtin_expect(heap->estimate != NULL, 0))
		estimate_live_add(heap, row_number, size);
	if (__builtin_expect(heap->keeps_changes, 0))
		heap_note_change(heap, process, row_number);
	heap_row_keep_peak(heap, row);
	row->live_allocations++;
	row->live_bytes += size;
	process->live_bytes += size;
}

static inline void heap_live_drop_from_row(struct heap *heap, struct heap_process *process,
					   uint32_t row_number, uint64_t size)
{
	struct heap_row *row = &heap->row[row_number];

	if (__builtin_expect(heap->estimate != NULL, 0))
		estimate_live_drop(heap, row_number, size);
	if (__builtin_expect(heap->keeps_changes, 0))
		heap_note_change(heap, process, row_number);
	heap_row_keep_peak(heap, row);
	row->live_allocations--;
	row->live_bytes -= size;
	process->live_bytes -= size;
}

/* sampled.c: the same of a block of a sample, totals included, but for the peak and the curve. */
void sampled_live_add(struct heap *heap, struct heap_process *process, uint32_t row,
		      const struct weight *weight);
void sampled_live_drop(struct heap *heap, struct heap_process *process, uint32_t row,
		       const struct weight *weight);
void sampled_count_free(struct heap *heap, const struct weight *weight);
void sampled_restore_free(struct heap *heap, const struct weight *weight);
/* Returns `every` of the block that ends; 0: it is none of a sample. */
uint64_t sampled_take(struct heap_process *process, uint64_t address);

static inline uint64_t block_every_take(struct heap_process *process, uint64_t address)
{
	return __builtin_expect(process->sampled.count != 0, 0) ? sampled_take(process, address)
								: 0;
}

static inline void heap_live_add(struct heap *heap, struct heap_process *process, uint32_t row,
				 uint64_t size, uint64_t every, uint64_t time_ns)
{
	struct heap_totals *totals = &heap->totals;

	if (__builtin_expect(every != 0, 0)) {
		const struct weight weight = weight_of(size, every);

		sampled_live_add(heap, process, row, &weight);
	} else {
		heap_live_add_to_row(heap, process, row, size);
		totals->live_allocations++;
		totals->live_bytes += size;
	}
	heap_note_peak(heap, time_ns);
	curve_put(&heap->curve, time_ns, totals->live_bytes);
}

static inline void heap_live_drop(struct heap *heap, struct heap_process *process, uint32_t row,
				  uint64_t size, uint64_t every, uint64_t time_ns)
{
	struct heap_totals *totals = &heap->totals;

	if (__builtin_expect(every != 0, 0)) {
		const struct weight weight = weight_of(size, every);

		sampled_live_drop(heap, process, row, &weight);
	} else {
		heap_live_drop_from_row(heap, process, row, size);
		totals->live_allocations--;
		totals->live_bytes -= size;
	}
	curve_put(&heap->curve, time_ns, totals->live_bytes);
}

static inline void heap_count_free(struct heap *heap, uint32_t row, uint64_t size, uint64_t every)
{
	if (row == ROW_OUTSIDE)
		return;
	if (__builtin_expect(every != 0, 0)) {
		const struct weight weight = weight_of(size, every);

		sampled_count_free(heap, &weight);
		return;
	}
	heap->totals.frees++;
	heap->totals.bytes_freed += size;
}

/* --- blocks --- */

static inline uint64_t block_large_size(struct heap_process *process, uint64_t address)
{
	struct map_entry *large = map_find(&process->large, address);

	return large ? large->value : SIZE_LARGE;
}

static inline uint64_t block_size(struct heap_process *process, const struct map_entry *block)
{
	uint32_t size = (uint32_t)block->value;

	return __builtin_expect(size == SIZE_LARGE, 0) ? block_large_size(process, block->key)
						       : size;
}

static inline void block_set(struct heap_process *process, struct map_entry *block, uint32_t row,
			     uint64_t size)
{
	bool added;

	if (__builtin_expect(size >= SIZE_LARGE, 0)) {
		map_put(&process->large, block->key, &added)->value = size;
		size = SIZE_LARGE;
	}
	block->value = (uint64_t)row << 32 | size;
}

static inline void block_remove(struct heap_process *process, struct map_entry *block)
{
	if (__builtin_expect((uint32_t)block->value == SIZE_LARGE, 0)) {
		struct map_entry *large = map_find(&process->large, block->key);

		if (large)
			map_remove(&process->large, large);
	}
	map_remove(&process->blocks, block);
}

static inline struct heap_young *young_place(const struct heap_process *process, uint64_t address)
{
	return &process->young[(uint32_t)((address >> 4) * 0x9e3779b1u) >> (32 - YOUNG_BITS)];
}

/* Returns the short-lived block at that address; NULL: there is none. */
static inline struct heap_young *young_find(const struct heap_process *process, uint64_t address)
{
	struct heap_young *young;

	if (!process->young)
		return NULL;
	young = young_place(process, address);
	return young->address == address ? young : NULL;
}

/* Returns true if the block was put there; otherwise it belongs to the others. */
static inline bool young_put(struct heap_process *process, uint64_t address, uint64_t size,
			     uint32_t row)
{
	struct heap_young *young;

	if (process->distrusts || size >= SIZE_LARGE)
		return false;
	if (__builtin_expect(!process->young, 0))
		process->young = memory_zero(1u << YOUNG_BITS, sizeof(*young));
	young = young_place(process, address);
	if (young->address)
		return false;
	*young = (struct heap_young){ address, row, (uint32_t)size };
	return true;
}

/* Makes a short-lived block at that address one of the others. */
static inline void young_settle(struct heap_process *process, uint64_t address)
{
	struct heap_young *young = young_find(process, address);
	bool added;

	if (__builtin_expect(!young, 1))
		return;
	block_set(process, map_put(&process->blocks, address, &added), young->row, young->size);
	young->address = 0;
}

/* Removes the block that is live at the address; returns false if there is none. */
static inline bool heap_take_block(struct heap_process *process, uint64_t address,
				   uint32_t *ret_row, uint64_t *ret_size)
{
	struct heap_young *young = young_find(process, address);
	struct map_entry *block;

	if (young) {
		*ret_row = young->row;
		*ret_size = young->size;
		young->address = 0;
		return true;
	}
	block = map_find(&process->blocks, address);
	if (!block)
		return false;
	*ret_row = (uint32_t)(block->value >> 32);
	*ret_size = block_size(process, block);
	block_remove(process, block);
	return true;
}

#endif
