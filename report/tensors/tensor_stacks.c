/* SPDX-License-Identifier: MIT */
/* Provides the stacks of tensors' memory, of all devices together, for trees and flame graphs. */
#include "report/options/keys.h"
#include "report/stacks/stack_keys.h"
#include "report/stacks/stack_source.h"
#include "report/tensors/tensor_events.h"

static const void *want(struct run *run)
{
	return tensors_want(run, &(struct tensors_options){ .by = BY_tensors_stack });
}

static uint64_t tensor_stacks_value_of(const struct tensor_row *row, enum stack_value value)
{
	switch (value) {
	case STACK_CALLS:
		return row->total.allocations;
	case STACK_LIVE:
		return row->live_bytes;
	case STACK_PEAK:
		return row->peak_bytes;
	default:
		return row->total.bytes_allocated;
	}
}

static void tensor_stacks_put(const void *state, struct source *source, enum stack_value value,
			      take_stack_use *take, void *context)
{
	const struct tensors *tensors = state;

	(void)source;
	for (size_t i = 0; i < tensors->row_count; i++) {
		const struct tensor_row *row = &tensors->row[i];

		stack_key_take(tensors_key(tensors), row->key, tensor_stacks_value_of(row, value),
			       take, context);
	}
}

const struct stack_source stack_source_tensors = {
	.name = "tensors",
	.family = EVT_FAMILY_tensors,
	.values = 1u << STACK_BYTES | 1u << STACK_CALLS | 1u << STACK_LIVE | 1u << STACK_PEAK,
	.first = STACK_BYTES,
	.want = want,
	.put = tensor_stacks_put,
};
