/* SPDX-License-Identifier: MIT */
/* See line_memory.h. The heap is reached as a source of stacks, for a family knows no other. */
#include "report/samples/line_memory.h"

#include <string.h>

#include "collector/format/frame_flags.h"
#include "report/session/stacks.h"
#include "report/stacks/stack_source.h"

struct adding {
	const struct stacks *stacks;
	struct lines *lines;
	enum stack_value value;
	bool has_python;
};

static bool names_memory(const char *text)
{
	return text && (strstr(text, "allocations") || strstr(text, "allocated") ||
			strstr(text, "live_bytes") || strstr(text, "peak_bytes"));
}

bool line_memory_is_wanted(const struct options *options)
{
	if (options->of_report[REPORT_OPTION_source].text || names_memory(options->sort) ||
	    names_memory(options->columns))
		return true;
	for (size_t i = 0; i < options->filter_count; i++)
		if (names_memory(options->filter[i]))
			return true;
	return false;
}

const void *line_memory_want(struct run *run)
{
	return stack_source_alloc.want(run);
}

static void memory_add(struct line_memory *memory, enum stack_value value, uint64_t weight)
{
	switch (value) {
	case STACK_CALLS:
		memory->allocations += weight;
		break;
	case STACK_LIVE:
		memory->live_bytes += weight;
		break;
	case STACK_PEAK:
		memory->peak_bytes += weight;
		break;
	default:
		memory->bytes_allocated += weight;
		break;
	}
}

/* The line that the frame is; false: it is none of Python's. */
static bool line_of(const struct adding *adding, const struct stack_use *use, uint32_t stack,
		    struct line *ret_line)
{
	const struct stack_frame *frame = stacks_frame(adding->stacks, stack);
	const struct source_python_line *python = NULL;

	if (frame->flags & FRAME_IS_PYTHON)
		python = source_python_line(use->process, frame->address);
	if (!python)
		return false;
	*ret_line = (struct line){
		.file = python->file->index,
		.function = python->function->index,
		.number = adding->lines->by_function ? python->first : python->line,
		.first_line = python->first,
	};
	return true;
}

/* Its innermost line has asked itself; of a function that calls itself each line counts once. */
static void take_use(void *context, const struct stack_use *use)
{
	struct adding *adding = context;
	uint64_t number = ++adding->lines->stacks;
	struct line *line = NULL, wanted;
	uint32_t stack = use->stack;
	bool is_innermost = true;

	for (; stack != STACK_NONE; stack = stacks_frame(adding->stacks, stack)->parent) {
		if (!line_of(adding, use, stack, &wanted))
			continue;
		line = lines_line(adding->lines, &wanted);
		if (is_innermost)
			memory_add(&line->memory, adding->value, use->weight);
		if (line->seen != number)
			memory_add(&line->total_memory, adding->value, use->weight);
		line->seen = number;
		is_innermost = false;
	}
	adding->has_python |= line != NULL;
	if (line)
		return;
	wanted = (struct line){ .file = SAMPLE_NONE, .function = SAMPLE_NONE };
	line = lines_line(adding->lines, &wanted);
	memory_add(&line->memory, adding->value, use->weight);
	memory_add(&line->total_memory, adding->value, use->weight);
}

static void take_python(void *context, const struct stack_use *use)
{
	struct adding *adding = context;
	struct line line;

	for (uint32_t stack = use->stack; stack != STACK_NONE && !adding->has_python;
	     stack = stacks_frame(adding->stacks, stack)->parent)
		adding->has_python = line_of(adding, use, stack, &line);
}

bool line_memory_add(const void *heap, struct source *source, struct lines *lines)
{
	static const enum stack_value values[] = { STACK_CALLS, STACK_BYTES, STACK_LIVE,
						   STACK_PEAK };
	struct adding adding = { .stacks = source_stacks(source), .lines = lines };

	stack_source_alloc.put(heap, source, STACK_CALLS, take_python, &adding);
	for (size_t i = 0; adding.has_python && i < sizeof(values) / sizeof(values[0]); i++) {
		adding.value = values[i];
		stack_source_alloc.put(heap, source, values[i], take_use, &adding);
	}
	return adding.has_python;
}

void line_memory_join(struct line_memory *into, const struct line_memory *more)
{
	into->allocations += more->allocations;
	into->bytes_allocated += more->bytes_allocated;
	into->live_bytes += more->live_bytes;
	into->peak_bytes += more->peak_bytes;
}
