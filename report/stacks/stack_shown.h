/* SPDX-License-Identifier: MIT */
/*
 * Stacks as --by of flame graphs and trees distinguishes them: by function, by line, or by their
 * Python frames. Each becomes another stack with the same names, whose frames show what
 * distinguishes them. Zeroed by stack_shown_init(); use it when all stacks are read. No recursion.
 * Memory grows with distinct stacks. One thread.
 */
#ifndef REPORT_STACKS_STACK_SHOWN_H
#define REPORT_STACKS_STACK_SHOWN_H

#include "report/stacks/named_stacks.h"
#include "report/stacks/stack_rows.h"

struct stack_shown {
	struct named_stacks *names;
	enum stack_by by;
	uint32_t *
		/* by stack: its shown form; NAMED_NONE: not known yet, or nothing of it is shown */
		known;
	size_t known_room;
	uint32_t *path;
	size_t path_room;
};

void stack_shown_init(struct stack_shown *shown, struct named_stacks *names, enum stack_by by);
void stack_shown_release(struct stack_shown *shown);

/* Returns the shown form of the stack; never NAMED_NONE. */
uint32_t stack_shown_of(struct stack_shown *shown, uint32_t stack);

#endif
