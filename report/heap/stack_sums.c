/* SPDX-License-Identifier: MIT */
/* The heap by places in the code: see stack_sums.h. */
#include "report/heap/stack_sums.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/heap/alloc_wrappers.h"

void heap_row_join(struct heap_row *into, const struct heap_row *from)
{
	into->allocations += from->allocations;
	into->bytes_allocated += from->bytes_allocated;
	into->live_allocations += from->live_allocations;
	into->live_bytes += from->live_bytes;
	into->kept_allocations += from->kept_allocations;
	into->kept_bytes += from->kept_bytes;
	into->temporary_allocations += from->temporary_allocations;
	into->peak_bytes += from->peak_bytes;
	into->peak_allocations += from->peak_allocations;
	into->is_sample |= from->is_sample;
	into->variance += from->variance;
	into->live_variance += from->live_variance;
	into->kept_variance += from->kept_variance;
	into->peak_variance += from->peak_variance;
}

static uint64_t estimated_weight(const struct heap_estimate *estimate, enum stack_weight weight)
{
	switch (weight) {
	case WEIGHT_KEPT:
		return estimate->kept.bytes;
	case WEIGHT_PEAK:
		return estimate->peak.bytes;
	default:
		return estimate->all.bytes;
	}
}

uint64_t heap_row_weight(const struct heap_row *row, enum stack_weight weight)
{
	switch (weight) {
	case WEIGHT_KEPT:
		return row->kept_bytes;
	case WEIGHT_PEAK:
		return row->peak_bytes;
	default:
		return row->bytes_allocated;
	}
}

static struct stack_sum sum_of(const struct stack_sums *sums, uint32_t number)
{
	const struct heap_row *row = &sums->heap->row[number];
	struct stack_sum sum = { *row, row->last_ns, row->latest_ns, { .every = 0 } };

	if (sums->is_estimated)
		sum.estimate = sums->heap->estimate[number];
	return sum;
}

struct stack_sum stack_sums_get(const struct stack_sums *sums, size_t place)
{
	uint32_t at = sums->at[place];

	return at & STACK_SUM_JOINED ? sums->joined[at & ~STACK_SUM_JOINED] : sum_of(sums, at);
}

static struct stack_sum *sum_join(struct stack_sums *sums, size_t place)
{
	struct stack_sum first = stack_sums_get(sums, place);

	if (sums->at[place] & STACK_SUM_JOINED)
		return &sums->joined[sums->at[place] & ~STACK_SUM_JOINED];
	sums->joined = memory_room(sums->joined, sums->joined_count, &sums->joined_room,
				   sizeof(*sums->joined));
	sums->at[place] = STACK_SUM_JOINED | (uint32_t)sums->joined_count;
	sums->joined[sums->joined_count] = first;
	return &sums->joined[sums->joined_count++];
}

static void sum_add(struct stack_sums *sums, size_t place, uint32_t number)
{
	const struct heap_row *row = &sums->heap->row[number];
	struct stack_sum *sum;

	if (place == sums->count) {
		sums->at[sums->count++] = number;
		return;
	}
	sum = sum_join(sums, place);
	heap_row_join(&sum->row, row);
	if (sums->is_estimated)
		estimate_join(&sum->estimate, &sums->heap->estimate[number]);
	if (row->last_ns < sum->first_ns)
		sum->first_ns = row->last_ns;
	if (row->latest_ns > sum->latest_ns)
		sum->latest_ns = row->latest_ns;
}

void stack_sums_estimate(struct stack_sums *sums, const struct heap *heap)
{
	sums->is_estimated = heap->estimate != NULL;
}

void stack_sums_make(struct stack_sums *sums, const struct heap *heap, struct source *source,
		     struct stack_rows *rows, enum stack_weight weight)
{
	struct source_process *const *process;

	source_processes(source, &process);
	alloc_wrappers_mark(heap, source, &rows->names);
	sums->heap = heap;
	if (sums->keeps_places)
		sums->place = memory_zero(heap->row_count + 1, sizeof(*sums->place));
	sums->at = memory_zero(heap->row_count + 1,
			       sizeof(*sums->at)); /* a row is at one place at most */
	for (size_t i = 0; i < heap->row_count; i++) {
		const struct heap_row *row = &heap->row[i];
		const struct heap_estimate *estimate = sums->is_estimated ? &heap->estimate[i]
									  : NULL;
		const struct stack_use use = { process[row->process], (uint32_t)row->key,
					       row->last_ns,
					       estimate ? estimated_weight(estimate, weight)
							: heap_row_weight(row, weight) };
		size_t place = estimate && estimate->of == ESTIMATE_OF_NOTHING
				       ? STACK_LEFT_OUT
				       : stack_rows_place(rows, &use);

		if (sums->keeps_places)
			sums->place[i] = place;
		if (place != STACK_LEFT_OUT)
			sum_add(sums, place, (uint32_t)i);
	}
}

void stack_sums_release(struct stack_sums *sums)
{
	free(sums->at);
	free(sums->joined);
	free(sums->place);
}
