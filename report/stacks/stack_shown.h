/* SPDX-License-Identifier: MIT */
/*
 * Stacks as --by of flame graphs and trees wants them told apart: by function, by line, or by what of them is Python. Each becomes
 * another stack of the same names, whose frames read as they are told apart. Zeroed by stack_shown_init(); once all stacks are
 * read. No recursion. Memory grows with distinct stacks. One thread.
 */
#ifndef REPORT_STACKS_STACK_SHOWN_H
#define REPORT_STACKS_STACK_SHOWN_H

#include "report/stacks/named_stacks.h"
#include "report/stacks/stack_rows.h"

struct stack_shown {
	struct named_stacks *names;
	enum stack_by by;
	uint32_t *
		known; /* by stack: what it has become; NAMED_NONE: not yet, or nothing of it is shown */
	size_t known_room;
	uint32_t *path;
	size_t path_room;
};

void stack_shown_init(struct stack_shown *shown, struct named_stacks *names, enum stack_by by);
void stack_shown_release(struct stack_shown *shown);

/* What the stack is shown as; never NAMED_NONE. */
uint32_t stack_shown_of(struct stack_shown *shown, uint32_t stack);

#endif
