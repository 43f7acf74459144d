/* SPDX-License-Identifier: MIT */
/*
 * Sampled stacks for trees and flame graphs. Their places differ from the stacks of events: each
 * place becomes a named stack once, from the outermost inwards, without recursion.
 */
#include <stdlib.h>

#include "report/options/keys.h"
#include "report/samples/sample_events.h"
#include "report/stacks/stack_source.h"

struct putting {
	const struct samples *samples;
	struct named_stacks *names;
	uint32_t *named; /* by place: its named stack; NAMED_NONE: not made yet */
};

static const void *sample_stacks_want(struct run *run)
{
	return samples_want(run, &(struct samples_options){ .by = BY_lines_line });
}

static const char *sample_stacks_text_of(struct named_stacks *names, uint32_t name)
{
	size_t length;
	const char *text;

	if (name == SAMPLE_NONE)
		return NULL;
	text = name_text(source_name_at(names->source, name), &length);
	return text_store_format(&names->texts, "%.*s", (int)length, text);
}

static uint32_t put_words(const struct putting *putting, const char *words)
{
	return named_stack_put(putting->names, NAMED_NONE,
			       &(struct named_frame){ .name = words, .function = words });
}

static uint32_t sample_stacks_put_frame(const struct putting *putting, uint32_t parent,
					const struct sample_place *place)
{
	const struct sample_code *code = samples_code(putting->samples, place->code);
	struct named_frame frame = { .name = "(unknown)", .line = place->line };

	if (code) {
		frame.function = sample_stacks_text_of(putting->names, code->function);
		frame.file = sample_stacks_text_of(putting->names, code->file);
		frame.name = frame.function ? frame.function : frame.name;
		frame.is_python = true;
	}
	return named_stack_put(putting->names, parent, &frame);
}

/* A place refers to the place around it, which has a smaller id, so there is no circle. */
static uint32_t sample_stacks_put_place(const struct putting *putting, uint64_t key)
{
	const struct sample_place *path[SAMPLE_DEPTH_MAX];
	uint32_t depth = 0, stack = NAMED_NONE;

	for (const struct sample_place *place = samples_place(putting->samples, key);
	     place && depth < SAMPLE_DEPTH_MAX;
	     place = place->from ? samples_place(putting->samples, place->from) : NULL) {
		stack = putting->named[place - putting->samples->place];
		if (stack != NAMED_NONE)
			break;
		path[depth++] = place;
	}
	while (depth) {
		const struct sample_place *place = path[--depth];

		stack = sample_stacks_put_frame(putting, stack, place);
		putting->named[place - putting->samples->place] = stack;
	}
	return stack;
}

static uint32_t sample_stacks_put_row(const struct putting *putting, const struct sample_row *row)
{
	uint32_t stack;

	if (row->place == SAMPLE_TORN_PLACE)
		return put_words(putting, SAMPLE_TORN);
	if (!row->place)
		return put_words(putting, SAMPLE_NOT_PYTHON);
	stack = sample_stacks_put_place(putting, row->place);
	return stack != NAMED_NONE ? stack : put_words(putting, "(unknown)");
}

static uint64_t sample_stacks_value_of(const struct sample_counts *counts, enum stack_value value)
{
	switch (value) {
	case STACK_CALLS:
		return counts->looks;
	case STACK_WAIT:
		return counts->wait_ns;
	case STACK_GIL:
		return counts->state_ns[EVT_PYTHON_GIL];
	default:
		return counts->cpu_ns;
	}
}

static void put_named(const void *state, struct named_stacks *names, enum stack_value value,
		      take_stack_use *take, void *context)
{
	const struct samples *samples = state;
	struct putting putting = { samples, names,
				   memory_zero(samples->place_count + 1, sizeof(*putting.named)) };

	for (size_t i = 0; i < samples->row_count; i++) {
		const struct sample_row *row = &samples->row[i];
		struct stack_use use = { .weight = sample_stacks_value_of(&row->counts, value) };

		if (!use.weight)
			continue;
		use.stack = sample_stacks_put_row(&putting, row);
		take(context, &use);
	}
	free(putting.named);
}

static const char *sample_stacks_explain(const void *state)
{
	return samples_why_none(state);
}

const struct stack_source stack_source_samples = {
	.name = "samples",
	.family = EVT_FAMILY_samples,
	.values = 1u << STACK_CALLS | 1u << STACK_TIME | 1u << STACK_WAIT | 1u << STACK_GIL,
	.first = STACK_TIME,
	.says = { [STACK_CALLS] = "looks",
		  [STACK_TIME] = "CPU time of Python's threads",
		  [STACK_WAIT] = "waits of Python's threads",
		  [STACK_GIL] = "waits of Python's threads for the GIL" },
	.want = sample_stacks_want,
	.put_named = put_named,
	.explain = sample_stacks_explain,
};
