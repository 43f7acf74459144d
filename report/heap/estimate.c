/* SPDX-License-Identifier: MIT */
/* What belongs to a stack where stacks are a sample: see estimate.h. */
#include "report/heap/estimate.h"

#include <math.h>

#include "report/heap/heap_state.h"
#include "report/session/stacks.h"

struct estimate_amount estimate_weigh(uint64_t size, uint64_t every)
{
	double drawn = (double)(size ? size : 1) / (double)every;
	double blocks = 1 / -expm1(-drawn);

	return (struct estimate_amount){ (uint64_t)(blocks * ESTIMATE_ONE + 0.5),
					 (uint64_t)(blocks * (double)size * ESTIMATE_ONE + 0.5) };
}

static struct estimate_amount amount_of(const struct heap_estimate *estimate, uint64_t size)
{
	switch (estimate->of) {
	case ESTIMATE_OF_SAMPLE:
		return estimate_weigh(size, estimate->every);
	case ESTIMATE_OF_ALL:
		return (struct estimate_amount){ ESTIMATE_ONE, size * ESTIMATE_ONE };
	default:
		return (struct estimate_amount){ 0, 0 };
	}
}

static void amount_add(struct estimate_amount *into, struct estimate_amount amount)
{
	into->allocations += amount.allocations;
	into->bytes += amount.bytes;
}

/* --- rows --- */

static uint64_t every_of(const struct heap *heap, uint32_t process)
{
	struct source_process *const *processes;

	return process < source_processes(heap->source, &processes)
		       ? processes[process]->stacks_every
		       : 0;
}

bool estimate_is_caller(const struct heap *heap, const struct heap_row *row)
{
	const struct stack_frame *frame = stacks_frame(source_stacks(heap->source),
						       (uint32_t)row->key);

	return frame->parent == STACK_NONE && !frame->flags;
}

static void row_begin(struct heap *heap, size_t number)
{
	const struct heap_row *row = &heap->row[number];
	uint64_t every = every_of(heap, row->process);

	heap->estimate = memory_room(heap->estimate, number, &heap->estimate_room,
				     sizeof(*heap->estimate));
	heap->estimate[number] = (struct heap_estimate){
		.peak_seen = heap->peak_number,
		.every = every,
		.of = !every                          ? ESTIMATE_OF_ALL
		      : estimate_is_caller(heap, row) ? ESTIMATE_OF_NOTHING
						      : ESTIMATE_OF_SAMPLE,
	};
}

/* Adds a row from before the first sample: of a caller, or of a process that records all stacks. */
static void row_catch_up(struct heap *heap, size_t number)
{
	const struct heap_row *row = &heap->row[number];
	struct heap_estimate *estimate = &heap->estimate[number];

	if (estimate->of != ESTIMATE_OF_ALL)
		return;
	estimate->all = (struct estimate_amount){ row->allocations * ESTIMATE_ONE,
						  row->bytes_allocated * ESTIMATE_ONE };
	estimate->live = (struct estimate_amount){ row->live_allocations * ESTIMATE_ONE,
						   row->live_bytes * ESTIMATE_ONE };
	estimate->peak = (struct estimate_amount){ row->peak_allocations * ESTIMATE_ONE,
						   row->peak_bytes * ESTIMATE_ONE };
	estimate->peak_seen = row->peak_seen;
	estimate->kept = (struct estimate_amount){ row->kept_allocations * ESTIMATE_ONE,
						   row->kept_bytes * ESTIMATE_ONE };
}

void estimate_add_row(struct heap *heap, uint32_t process)
{
	size_t last = heap->row_count - 1;

	if (heap->estimate) {
		row_begin(heap, last);
		return;
	}
	if (!every_of(heap, process) || estimate_is_caller(heap, &heap->row[last]))
		return;
	for (size_t i = 0; i <= last; i++) {
		row_begin(heap, i);
		row_catch_up(heap, i);
	}
}

/* --- blocks --- */

static void keep_peak(const struct heap *heap, struct heap_estimate *estimate)
{
	if (estimate->peak_seen == heap->peak_number)
		return;
	estimate->peak_seen = heap->peak_number;
	estimate->peak = estimate->live;
}

void estimate_count(struct heap *heap, uint32_t row, uint64_t size)
{
	struct heap_estimate *estimate = &heap->estimate[row];

	amount_add(&estimate->all, amount_of(estimate, size));
}

void estimate_live_add(struct heap *heap, uint32_t row, uint64_t size)
{
	struct heap_estimate *estimate = &heap->estimate[row];

	keep_peak(heap, estimate);
	amount_add(&estimate->live, amount_of(estimate, size));
}

void estimate_live_drop(struct heap *heap, uint32_t row, uint64_t size)
{
	struct heap_estimate *estimate = &heap->estimate[row];
	struct estimate_amount amount = amount_of(estimate, size);

	keep_peak(heap, estimate);
	estimate->live.allocations -= amount.allocations;
	estimate->live.bytes -= amount.bytes;
}

void estimate_keep(struct heap *heap, uint32_t row, uint64_t size)
{
	struct heap_estimate *estimate = &heap->estimate[row];

	amount_add(&estimate->kept, amount_of(estimate, size));
}

void estimate_finish(struct heap *heap, bool has_kept)
{
	for (size_t i = 0; heap->estimate && i < heap->row_count; i++) {
		keep_peak(heap, &heap->estimate[i]);
		if (!has_kept)
			heap->estimate[i].kept = heap->estimate[i].live;
	}
}

void estimate_join(struct heap_estimate *into, const struct heap_estimate *from)
{
	amount_add(&into->all, from->all);
	amount_add(&into->live, from->live);
	amount_add(&into->peak, from->peak);
	amount_add(&into->kept, from->kept);
}
