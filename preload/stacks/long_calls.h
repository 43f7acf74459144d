/* SPDX-License-Identifier: MIT */
/*
 * Decides which calls are long enough for a stack (INTERCEPT_STACKS_MIN_TIME). A stack is taken at
 * the end of a call, when its duration is known. Shorter calls are recorded without a stack.
 *
 * Any thread, signal handlers too; no lock, no allocation.
 */
#ifndef PRELOAD_STACKS_LONG_CALLS_H
#define PRELOAD_STACKS_LONG_CALLS_H

#include <stdint.h>

#include "preload/stacks/stack.h"

/* A call must take this many nanoseconds; 0: each has a stack. Written before the gates open. */
PRELOAD_HIDDEN extern uint64_t long_calls_ns[EVT_FAMILY_LIMIT];

/* Converts nanoseconds to ticks of the records. */
uint64_t long_calls_ticks(uint64_t ns);

/* The stack of a call that took `ticks`, or 0 if the call is too short for one. */
static inline uint64_t stack_of_call(struct recorder_lane *lane, enum evt_family family,
				     uint64_t ticks)
{
	uint64_t least = long_calls_ns[family];

	if (!stack_is_wanted(family))
		return 0;
	if (__builtin_expect(least != 0, 0) && ticks < long_calls_ticks(least))
		return 0;
	return stack_of(lane, family);
}

#endif
