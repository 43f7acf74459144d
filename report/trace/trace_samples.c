/* SPDX-License-Identifier: MIT */
/*
 * Samples of Python's stacks as slices, for formats that have a line for them: consecutive
 * stretches of what a thread was in and what it did there. See producer.h. Kineto's schema has
 * none: its readers take each slice of a thread for an operator.
 */
#include "report/trace/producer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/samples/sample_frame.h"
#include "report/samples/stretches.h"

#define FRAMES_MAX 100u /* per stack in the trace */

static FILE *trace_samples_text_open(struct trace_text *text)
{
	FILE *out = open_memstream((char **)&text->text, &text->length);

	if (!out)
		memory_give_up(1, 1);
	return out;
}

/* The innermost frame, and the whole stack; the caller provides their memory. */
static struct trace_text trace_samples_name_of(const struct trace *trace,
					       const struct sample_place *place)
{
	struct trace_text text = { .number = 0 };
	FILE *out = trace_samples_text_open(&text);

	if (place)
		sample_frame_print(out, trace->samples, trace->source, place);
	else
		fputs("(unknown)", out);
	fclose(out);
	return text;
}

static struct trace_text trace_samples_stack_of(const struct trace *trace,
						const struct sample_place *place)
{
	struct trace_text text = { .number = 0 };
	FILE *out = trace_samples_text_open(&text);

	sample_stack_print(out, trace->samples, trace->source, place, FRAMES_MAX);
	fclose(out);
	return text;
}

static void put_stretch(struct trace *trace, const struct stretch *stretch, struct trace_text name,
			const struct trace_text *stack)
{
	const char *state = stretch_state_text(stretch->state);
	struct trace_list list;

	list.count = 0;
	trace_add_text(&list, TRACE_OF_STATE,
		       (struct trace_text){ .text = state, .length = strlen(state) });
	trace_add_number(&list, TRACE_OF_LOOKS, stretch->looks);
	if (stack)
		trace_add_text(&list, TRACE_OF_STACK, *stack);
	trace_put_slice(trace, stretch->thread,
			(struct trace_slice){ .event = { .category = TRACE_STACK,
							 .name = name,
							 .time_ns = stretch->from_ns,
							 .argument = list.argument,
							 .arguments = list.count },
					      .duration_ns = stretch->to_ns - stretch->from_ns });
}

static void trace_samples_take_stretch(void *context, const struct stretch *stretch)
{
	struct trace *trace = context;
	const struct sample_place *place = samples_place(trace->samples, stretch->place);
	struct trace_text name, stack = { .number = 0 };

	if (!stretch->place)
		return;
	if (stretch->place == SAMPLE_TORN_PLACE) {
		put_stretch(trace, stretch, TRACE_TEXT(SAMPLE_TORN), NULL);
		return;
	}
	name = trace_samples_name_of(trace, place);
	if (place)
		stack = trace_samples_stack_of(trace, place);
	put_stretch(trace, stretch, name, place ? &stack : NULL);
	free((char *)name.text);
	free((char *)stack.text);
}

void trace_samples_start(struct trace *trace, struct run *run)
{
	if (!trace->writer->takes_samples)
		return;
	trace->samples = samples_want(run, &(struct samples_options){ .by = BY_lines_line });
	stretches_want(run, &(struct stretches_options){ .take = trace_samples_take_stretch,
							 .context = trace });
}
