/* SPDX-License-Identifier: MIT */
/*
 * Blocks of a sample of the heap in its rows and totals: what they stand for, with the variance
 * (weight.h). The counterparts of what live_blocks.h and heap_state.h do for blocks that are
 * counted; a sample is rare, so nothing here is a hot path.
 */
#include "report/heap/live_blocks.h"

void sampled_count(struct heap *heap, uint32_t number, const struct heap_op *op)
{
	const struct weight weight = weight_of(op->size, op->every);
	struct heap_row *row = &heap->row[number];
	struct heap_totals *totals = &heap->totals;
	unsigned int class = size_class(op->size);

	weight_count(&row->allocations, &row->fraction, weight.blocks);
	row->bytes_allocated += weight.bytes;
	row->variance += weight.variance;
	row->latest_ns = op->time_ns;
	row->is_sample = true;
	weight_count(&heap->class_allocations[class], &heap->class_fraction[class], weight.blocks);
	heap->class_bytes[class] += weight.bytes;
	if (heap->estimate)
		estimate_count(heap, number, weight.bytes);
	weight_count(&totals->allocations, &totals->fraction, weight.blocks);
	totals->bytes_allocated += weight.bytes;
	totals->variance += weight.variance;
	if (!totals->sampled++)
		totals->every = op->every;
}

void sampled_live_add(struct heap *heap, struct heap_process *process, uint32_t number,
		      const struct weight *weight)
{
	struct heap_row *row = &heap->row[number];
	struct heap_totals *totals = &heap->totals;

	if (heap->estimate)
		estimate_live_add(heap, number, weight->bytes);
	if (heap->keeps_changes)
		heap_note_change(heap, process, number);
	heap_row_keep_peak(heap, row);
	weight_count(&row->live_allocations, &row->live_fraction, weight->blocks);
	row->live_bytes += weight->bytes;
	row->live_variance += weight->variance;
	process->live_bytes += weight->bytes;
	weight_count(&totals->live_allocations, &totals->live_fraction, weight->blocks);
	totals->live_bytes += weight->bytes;
	totals->live_variance += weight->variance;
}

void sampled_live_drop(struct heap *heap, struct heap_process *process, uint32_t number,
		       const struct weight *weight)
{
	struct heap_row *row = &heap->row[number];
	struct heap_totals *totals = &heap->totals;

	if (heap->estimate)
		estimate_live_drop(heap, number, weight->bytes);
	if (heap->keeps_changes)
		heap_note_change(heap, process, number);
	heap_row_keep_peak(heap, row);
	weight_discount(&row->live_allocations, &row->live_fraction, weight->blocks);
	row->live_bytes -= weight->bytes;
	row->live_variance -= weight->variance;
	process->live_bytes -= weight->bytes;
	weight_discount(&totals->live_allocations, &totals->live_fraction, weight->blocks);
	totals->live_bytes -= weight->bytes;
	totals->live_variance -= weight->variance;
}

void sampled_count_free(struct heap *heap, const struct weight *weight)
{
	weight_count(&heap->totals.frees, &heap->totals.freed_fraction, weight->blocks);
	heap->totals.bytes_freed += weight->bytes;
}

void sampled_restore_free(struct heap *heap, const struct weight *weight)
{
	weight_discount(&heap->totals.frees, &heap->totals.freed_fraction, weight->blocks);
	heap->totals.bytes_freed -= weight->bytes;
}

uint64_t sampled_take(struct heap_process *process, uint64_t address)
{
	struct map_entry *sampled = map_find(&process->sampled, address);
	uint64_t every = sampled ? sampled->value : 0;

	if (sampled)
		map_remove(&process->sampled, sampled);
	return every;
}

/* What is left of the rows before, less than a block. */
static void sampled_carry(uint16_t *carry, uint64_t *counter, uint16_t *fraction)
{
	unsigned int sum = (unsigned int)*carry + *fraction;

	*counter += sum / ESTIMATE_ONE;
	*carry = (uint16_t)(sum % ESTIMATE_ONE);
	*fraction = 0;
}

void sampled_settle(struct heap *heap)
{
	uint16_t all = 0, live = 0, peak = 0, kept = 0, classes = 0;

	for (size_t i = 0; i < heap->row_count; i++) {
		struct heap_row *row = &heap->row[i];

		sampled_carry(&all, &row->allocations, &row->fraction);
		sampled_carry(&live, &row->live_allocations, &row->live_fraction);
		sampled_carry(&peak, &row->peak_allocations, &row->peak_fraction);
		sampled_carry(&kept, &row->kept_allocations, &row->kept_fraction);
	}
	for (unsigned int i = 0; i < SIZE_CLASSES; i++)
		sampled_carry(&classes, &heap->class_allocations[i], &heap->class_fraction[i]);
}
