/* SPDX-License-Identifier: MIT */
/*
 * The walk: from the hook outwards until a frame stands where the thread's last stack had it and all that was read
 * further out reads the same; the rest is that of the last stack. README.md has the reasons.
 *
 * A thread's own only, signal handlers in between.
 */
#ifndef PRELOAD_STACKS_WALK_H
#define PRELOAD_STACKS_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/record/entry.h"
#include "preload/stacks/frame_names.h"
#include "preload/stacks/step.h"

#define WALK_SAME_BITS (STEP_ADDRESS | STEP_EXACT)

/* Changes when rules or names of frames have become stale. */
static inline uint64_t walk_epoch(void)
{
	return rules_epoch() | frame_names.generation;
}

static inline uint64_t frame_first_read(const struct stack_frame *f)
{
	return f->name >> STACK_READ_SHIFT & STACK_READ_MASK;
}

static inline bool walk_is_at(const struct stack_frame *f, const struct step_place *p)
{
	return f->rsp == p->rsp && !((f->word ^ p->word) & WALK_SAME_BITS) &&
	       (f->rbp == p->rbp || !(f->name & STACK_RBP_IS_LIVE));
}

/* Which of the reads is the first from the end that reads something else; NULL: none. */
static inline const struct stack_read *reads_differ(const struct stack_read *read,
						    const struct stack_read *end)
{
#pragma GCC unroll 4
	while (end != read) {
		end--;
		if (__builtin_expect(*end->at != end->value, 0))
			return end;
	}
	return NULL;
}

/* A stack that cannot be had. In a forked child, whoever was interrupted has a lane without words: its record goes nowhere either. */
static inline uint64_t walk_missed(const struct recorder_lane *lane)
{
	if (lane->mask)
		entry_count_lost(ENTRY_LOST_STACK);
	return 0;
}

/* The id of the stack at `p`, whose frames are in the ring then. 0: missed. */
uint64_t stack_walk(struct stack_thread *t, struct recorder_lane *lane, struct step_place p);

#endif
