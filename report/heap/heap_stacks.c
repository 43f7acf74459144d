/* SPDX-License-Identifier: MIT */
/* Stacks of the heap, and of Python's blocks, for trees and flame graphs. */
#include "report/options/keys.h"
#include "report/heap/heap_events.h"
#include "report/stacks/stack_source.h"

static const void *want_c(struct run *run)
{
	return heap_want(run, &(struct heap_options){ BY_alloc_stack, HEAP_OF_C });
}

static const void *want_python(struct run *run)
{
	return heap_want(run, &(struct heap_options){ BY_alloc_stack, HEAP_OF_PYTHON });
}

static uint64_t heap_stacks_value_of(const struct heap_row *row, enum stack_value value)
{
	switch (value) {
	case STACK_CALLS:
		return row->allocations;
	case STACK_LIVE:
		return row->kept_bytes;
	case STACK_PEAK:
		return row->peak_bytes;
	default:
		return row->bytes_allocated;
	}
}

static uint64_t estimate_of(const struct heap_estimate *estimate, enum stack_value value)
{
	switch (value) {
	case STACK_CALLS:
		return estimate_whole(estimate->all.allocations);
	case STACK_LIVE:
		return estimate_whole(estimate->kept.bytes);
	case STACK_PEAK:
		return estimate_whole(estimate->peak.bytes);
	default:
		return estimate_whole(estimate->all.bytes);
	}
}

static bool is_estimated(const void *state)
{
	return ((const struct heap *)state)->estimate != NULL;
}

static void heap_stacks_put(const void *state, struct source *source, enum stack_value value,
			    take_stack_use *take, void *context)
{
	const struct heap *heap = state;
	struct source_process *const *process;

	source_processes(source, &process);
	for (size_t i = 0; i < heap->row_count; i++) {
		const struct heap_row *row = &heap->row[i];
		const struct stack_use use = { process[row->process], (uint32_t)row->key,
					       row->last_ns,
					       heap->estimate
						       ? estimate_of(&heap->estimate[i], value)
						       : heap_stacks_value_of(row, value) };

		if (use.weight)
			take(context, &use);
	}
}

const struct stack_source stack_source_alloc = {
	.name = "alloc",
	.family = EVT_FAMILY_alloc,
	.values = 1u << STACK_BYTES | 1u << STACK_CALLS | 1u << STACK_LIVE | 1u << STACK_PEAK,
	.first = STACK_BYTES,
	.want = want_c,
	.put = heap_stacks_put,
	.is_estimated = is_estimated,
};

const struct stack_source stack_source_pymem = {
	.name = "pymem",
	.family = EVT_FAMILY_pymem,
	.values = 1u << STACK_BYTES | 1u << STACK_CALLS | 1u << STACK_LIVE | 1u << STACK_PEAK,
	.first = STACK_BYTES,
	.want = want_python,
	.put = heap_stacks_put,
};
