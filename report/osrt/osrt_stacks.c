/* SPDX-License-Identifier: MIT */
/* Makes stacks of waits, for trees and flame graphs. */
#include "report/options/keys.h"
#include "report/osrt/waits.h"
#include "report/stacks/stack_keys.h"
#include "report/stacks/stack_source.h"

static const void *osrt_stacks_want(struct run *run)
{
	return waits_want(run, &(struct waits_options){ BY_osrt_sum_stack, BY_osrt_sum_stack });
}

static void osrt_stacks_put(const void *state, struct source *source, enum stack_value value,
			    take_stack_use *take, void *context)
{
	const struct waits *waits = state;

	(void)source;
	stack_key_take_calls(&waits->key, &waits->groups, WAITS_ROW_KEY, value, take, context);
}

const struct stack_source stack_source_osrt = {
	.name = "osrt",
	.family = EVT_FAMILY_osrt,
	.values = 1u << STACK_CALLS | 1u << STACK_TIME,
	.first = STACK_TIME,
	.want = osrt_stacks_want,
	.put = osrt_stacks_put,
};
