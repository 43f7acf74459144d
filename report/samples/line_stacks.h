/* SPDX-License-Identifier: MIT */
/* The lines of Python in a recorded stack: its innermost one, and its callers. */
#ifndef REPORT_SAMPLES_LINE_STACKS_H
#define REPORT_SAMPLES_LINE_STACKS_H

#include "report/samples/lines.h"
#include "report/stacks/stack_rows.h"

/*
 * The line is valid during the call. `is_first`: the stack does not contain this line further
 * inwards.
 */
typedef void take_line(void *context, struct line *line, bool is_innermost, bool is_first);

/* A stack without a Python frame counts at the line for non-Python code; then false is returned. */
bool line_stack_put(struct lines *lines, const struct stacks *stacks, const struct stack_use *use,
		    take_line *take, void *context);

/* Returns whether the stack has a Python frame. */
bool line_stack_is_python(const struct lines *lines, const struct stacks *stacks,
			  const struct stack_use *use);

#endif
