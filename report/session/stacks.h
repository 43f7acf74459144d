/* SPDX-License-Identifier: MIT */
/*
 * The stacks of a session. Frames are interned as (caller's frame, address, flags), so that equal
 * stacks have equal numbers, and stacks that share their outer frames share memory. A stack is
 * identified by the number of its innermost frame.
 *
 * Addresses belong to a process at a time; caller_module() finds their module. One table serves all
 * files, and processes forked from each other share numbers. Numbers are given in the order of
 * appearance, parents before children. At most STACKS_MAX frames: beyond that a stack is
 * STACK_NONE, and counted in `refused`. One thread.
 *
 * The first STACKS_NEAR callees of a frame are a list; further ones are in a hash table, as in
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
#define STACK_IS_FAR UINT32_MAX /* `sibling` of a frame that is in no list */

struct stack_frame {
	uint64_t address; /* a return address, except with FRAME_IS_EXACT */
	uint32_t parent;  /* the caller; STACK_NONE: this is the outermost */
	uint32_t flags;   /* FRAME_IS_... of collector/format/frame_flags.h */
	uint32_t callee;  /* the first of its list; STACK_NONE: none */
	uint32_t sibling; /* the next in its caller's list, STACK_NONE: none; STACK_IS_FAR */
};

struct stacks {
	struct stack_frame *frame; /* by number; [0] is no frame */
	size_t count, room;
	struct slots far; /* frames in no list; empty if no frame has that many callees */
	uint64_t secret;
	uint64_t refused;
};

void stacks_init(struct stacks *stacks);
void stacks_release(struct stacks *stacks);

/*
 * Returns the frame's number; STACK_NONE if there is no room. `parent` is such a number, or
 * STACK_NONE.
 */
uint32_t stacks_add(struct stacks *stacks, uint32_t parent, uint64_t address, uint32_t flags);

/* Valid until the next stacks_add(). For STACK_NONE: no address, no caller, no flags. */
static inline const struct stack_frame *stacks_frame(const struct stacks *stacks, uint32_t stack)
{
	return &stacks->frame[stack];
}

/* Returns the number of frames of the stack. */
unsigned int stacks_depth(const struct stacks *stacks, uint32_t stack);

#endif
