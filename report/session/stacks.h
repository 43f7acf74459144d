/* SPDX-License-Identifier: MIT */
/*
 * The stacks of a session: frames interned as (the frame that called it, address, flags), so that equal stacks are equal
 * numbers and stacks that share their outer frames share memory. A stack is the number of its innermost frame.
 *
 * Addresses are those of a process at a time: which module they belong to is for caller_module() to say. One table serves all
 * files; processes forked from each other share numbers. Numbers are given in the order of appearance, parents before
 * children. At most STACKS_MAX frames: beyond that a stack is STACK_NONE, and counted in `refused`. One thread.
 *
 * The first callees of a frame are a list, and only what is beyond STACKS_NEAR of them stands in a hash, as in
 * report/stacks/node_table.h.
 */
#ifndef REPORT_SESSION_STACKS_H
#define REPORT_SESSION_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "report/base/slots.h"

#define STACK_NONE 0u
#define STACKS_MAX (64u << 20)
#define STACKS_NEAR 8u
#define STACK_IS_FAR UINT32_MAX /* `sibling` of one that is in no list */

struct stack_frame {
	uint64_t address; /* a return address, but with FRAME_IS_EXACT */
	uint32_t parent;  /* who called; STACK_NONE: the outermost */
	uint32_t flags;   /* FRAME_IS_... of collector/format/frame_flags.h */
	uint32_t callee;  /* the first of the list; STACK_NONE: none */
	uint32_t sibling; /* the next in its caller's list, STACK_NONE: none; STACK_IS_FAR */
};

struct stacks {
	struct stack_frame *frame; /* by number; [0] is no frame */
	size_t count, room;
	struct slots far; /* of frames in no list; empty: nobody has so many callees */
	uint64_t secret;
	uint64_t refused;
};

void stacks_init(struct stacks *stacks);
void stacks_release(struct stacks *stacks);

/* The frame's number; STACK_NONE when there is no room. `parent` is one of them, or STACK_NONE. */
uint32_t stacks_add(struct stacks *stacks, uint32_t parent, uint64_t address, uint32_t flags);

/* Valid until the next stacks_add(). Of STACK_NONE: no address, no caller, no flags. */
static inline const struct stack_frame *stacks_frame(const struct stacks *stacks, uint32_t stack)
{
	return &stacks->frame[stack];
}

/* Number of frames of the stack. */
unsigned int stacks_depth(const struct stacks *stacks, uint32_t stack);

#endif
