/* SPDX-License-Identifier: MIT */
/* What part of the events has a stack, and what part of these stacks is cut: a sentence for people, below tables by stack. */
#ifndef REPORT_STACKS_STACK_SHARE_H
#define REPORT_STACKS_STACK_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/session/stacks.h"

#define STACK_SHARE_BYTES 224u

struct stack_share {
	uint64_t all, stacked, cut; /* events; `cut` of `stacked` */
};

/* By stack: is its outermost frame one that was cut? The caller frees it. */
bool *stacks_find_cut(const struct stacks *stacks);

/* `count` more events with that stack, STACK_NONE: without. `is_cut` is what stacks_find_cut() found. */
void stack_share_add(struct stack_share *share, const bool *is_cut, uint32_t stack, uint64_t count);

/* `what`: the events, in plural. Into STACK_SHARE_BYTES; false: no event has a stack, and nothing is written. */
bool stack_share_write(const struct stack_share *share, const char *what, char *text);

#endif
