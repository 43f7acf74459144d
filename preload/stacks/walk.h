/* SPDX-License-Identifier: MIT */
/*
 * Walks from the hook outwards until a frame is where the thread's last stack had it, and all words
 * read further out are unchanged. The rest is taken from the last stack. README.md has the reasons.
 *
 * A thread walks only its own stack; signal handlers may interrupt it.
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

/* Changes when rules or ids of frames have become stale. */
static inline uint64_t walk_epoch(void)
{
	return rules_epoch() | frame_names.generation;
}

static inline const struct stack_read *frame_first_read(const struct stack_thread *t,
							const struct stack_frame *f)
{
	return (const struct stack_read *)((const char *)t->read +
					   (f->first & ~(uint64_t)STACK_RBP_IS_LIVE));
}

static inline bool walk_is_at(const struct stack_frame *f, const struct step_place *p)
{
	return f->rsp == p->rsp && !((f->word ^ p->word) & WALK_SAME_BITS) &&
	       (f->rbp == p->rbp || !(f->first & STACK_RBP_IS_LIVE));
}

static inline bool read_is_same(const struct stack_read *read)
{
	return __builtin_expect(*read->at == read->value, 1);
}

/*
 * Returns the first of the thread's reads, counted from the end, whose word has changed; NULL:
 * none. Reads are compared four at a time, without a remainder, because a branch predictor cannot
 * know its length. For that reason padding that never differs stands before the first read.
 */
static inline const struct stack_read *reads_differ(const struct stack_thread *t,
						    const struct stack_read *end)
{
	const struct stack_read *first = t->read;

	for (; end > first; end -= STACK_READS_PADS + 1) {
		if (!read_is_same(end - 1))
			return end - 1;
		if (!read_is_same(end - 2))
			return end - 2;
		if (!read_is_same(end - 3))
			return end - 3;
		if (!read_is_same(end - 4))
			return end - 4;
	}
	return NULL;
}

/*
 * A stack that could not be taken. In a forked child, the interrupted hook has a lane without
 * words, so its record goes nowhere either.
 */
static inline uint64_t walk_missed(const struct recorder_lane *lane)
{
	if (lane->mask)
		entry_count_lost(ENTRY_LOST_STACK);
	return 0;
}

/* Returns the id of the stack at `p`; its frames are in the ring afterwards. 0: missed. */
uint64_t stack_walk(struct stack_thread *t, struct recorder_lane *lane, struct step_place p);

#endif
