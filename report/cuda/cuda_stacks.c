/* SPDX-License-Identifier: MIT */
/* Makes stacks of CUDA calls, for trees and flame graphs. */
#include "report/cuda/cuda_events.h"
#include "report/stacks/stack_keys.h"
#include "report/stacks/stack_source.h"

static const void *cuda_stacks_want(struct run *run)
{
	return cuda_want(run, &(struct cuda_options){ .by = BY_api_stack });
}

static void cuda_stacks_put(const void *state, struct source *source, enum stack_value value,
			    take_stack_use *take, void *context)
{
	const struct cuda *cuda = state;

	(void)source;
	stack_key_take_calls(cuda_key(cuda), &cuda->api, KEY_WORD, value, take, context);
}

const struct stack_source stack_source_cuda = {
	.name = "cuda",
	.family = EVT_FAMILY_cuda,
	.values = 1u << STACK_CALLS | 1u << STACK_TIME,
	.first = STACK_TIME,
	.want = cuda_stacks_want,
	.put = cuda_stacks_put,
};
