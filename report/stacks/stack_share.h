/* SPDX-License-Identifier: MIT */
/*
 * Which share of the events has a stack, and which share of these stacks is cut: a sentence for
 * people, below tables by stack.
 */
#ifndef REPORT_STACKS_STACK_SHARE_H
#define REPORT_STACKS_STACK_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/session/stacks.h"

#define STACK_SHARE_BYTES 224u

struct stack_share {
	uint64_t all, stacked, cut; /* numbers of events; `cut` is a part of `stacked` */
};

/* By stack: true if its outermost frame was cut. The caller frees it. */
bool *stacks_find_cut(const struct stacks *stacks);

/*
 * Adds `count` events with that stack, STACK_NONE: without. `is_cut` is the result of
 * stacks_find_cut().
 */
void stack_share_add(struct stack_share *share, const bool *is_cut, uint32_t stack, uint64_t count);

/*
 * `what` is the plural word for the events. Writes at most STACK_SHARE_BYTES. Returns false, and
 * writes nothing, if no event has a stack.
 */
bool stack_share_write(const struct stack_share *share, const char *what, char *text);

#endif
