/* SPDX-License-Identifier: MIT */
/* Provides sampled native stacks for trees and flame graphs. */
#include "report/options/keys.h"
#include "report/native/native_events.h"
#include "report/stacks/stack_source.h"

static const void *native_stacks_want(struct run *run)
{
	return native_events_want(run, &(struct native_events_options){ BY_native_stack });
}

static void native_stacks_put(const void *state, struct source *source, enum stack_value value,
			      take_stack_use *take, void *context)
{
	const struct native_reading *reading = state;

	(void)source;
	for (size_t i = 0; i < reading->row_count; i++) {
		const struct native_row *row = &reading->row[i];
		struct stack_use use;

		if (!row->key)
			continue;
		use = *stack_keys_use(reading->stack_keys, row->key);
		use.weight = value == STACK_CALLS ? row->counts.samples : row->counts.cpu_ns;
		take(context, &use);
	}
}

static const char *native_stacks_explain(const void *state)
{
	return native_why_none(state);
}

const struct stack_source stack_source_native = {
	.name = "native",
	.family = EVT_FAMILY_native_samples,
	.values = 1u << STACK_CALLS | 1u << STACK_TIME,
	.first = STACK_TIME,
	.of_samples = true,
	.says = { [STACK_CALLS] = "samples", [STACK_TIME] = "CPU time" },
	.want = native_stacks_want,
	.put = native_stacks_put,
	.explain = native_stacks_explain,
};
