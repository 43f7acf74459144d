/* SPDX-License-Identifier: MIT */
/*
 * Walks outwards from the innermost frame and skips frames that are not Python's or, if the user's
 * own lines are wanted, not the user's. `seen` of a line has the number of the last stack, so the
 * callback knows whether the line already occurred in this one.
 */
#include "report/samples/line_stacks.h"

#include "collector/format/frame_flags.h"
#include "report/session/stacks.h"

/* Sets the line of the frame; returns false if the frame is not Python's. */
static bool line_stacks_line_of(const struct lines *lines, const struct stack_use *use,
				const struct stack_frame *frame, struct line *ret_line)
{
	const struct source_python_line *python = NULL;

	if (frame->flags & FRAME_IS_PYTHON)
		python = source_python_line(use->process, frame->address);
	if (!python)
		return false;
	*ret_line = lines_place(lines->by, python->file->index, python->function->index,
				python->line, python->first);
	return true;
}

/* Returns whether it counts: all code is wanted, or it is the user's. */
static bool line_stacks_is_wanted(const struct lines *lines, const struct line *line)
{
	return !lines->own || own_has_name(lines->own, line->file);
}

/* Finds the innermost Python line of a stack in which no line is the user's. */
static bool line_stacks_innermost_of(const struct lines *lines, const struct stacks *stacks,
				     const struct stack_use *use, struct line *ret_line)
{
	uint32_t stack = use->stack;

	for (; stack != STACK_NONE; stack = stacks_frame(stacks, stack)->parent)
		if (line_stacks_line_of(lines, use, stacks_frame(stacks, stack), ret_line))
			return true;
	return false;
}

bool line_stack_put(struct lines *lines, const struct stacks *stacks, const struct stack_use *use,
		    take_line *take, void *context)
{
	static const struct line none = { .file = SAMPLE_NONE, .function = SAMPLE_NONE };
	uint64_t number = ++lines->stacks;
	bool is_innermost = true;
	struct line *line, wanted;
	uint32_t stack = use->stack;

	for (; stack != STACK_NONE; stack = stacks_frame(stacks, stack)->parent) {
		if (!line_stacks_line_of(lines, use, stacks_frame(stacks, stack), &wanted) ||
		    !line_stacks_is_wanted(lines, &wanted))
			continue;
		line = lines_line(lines, &wanted);
		take(context, line, is_innermost, line->seen != number);
		line->seen = number;
		is_innermost = false;
	}
	if (!is_innermost)
		return true;
	if (line_stacks_innermost_of(lines, stacks, use, &wanted)) {
		take(context, lines_line(lines, &wanted), true, true);
		return true;
	}
	take(context, lines_line(lines, &none), true, true);
	return false;
}

bool line_stack_is_python(const struct lines *lines, const struct stacks *stacks,
			  const struct stack_use *use)
{
	struct line line;

	return line_stacks_innermost_of(lines, stacks, use, &line);
}
