/* SPDX-License-Identifier: MIT */
/*
 * Which of its Python stacks a thread runs. Greenlets (gevent, eventlet) switch stacks, and CPython
 * has no callback for that. So each call and return compares its stack with the previous one, and
 * records function_stack if they differ.
 *
 * A stack is identified by where it begins: from 3.11 on by the first memory block that contains
 * its frames, before that by its outermost frame. Needs the GIL; does nothing in free-threaded
 * builds. Hot: one call into CPython and two compares.
 */
#ifndef PRELOAD_FUNCTIONS_STACK_SWITCH_H
#define PRELOAD_FUNCTIONS_STACK_SWITCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/hidden.h"

struct stack_switch {
	void *(*current)(void); /* returns the thread's state; NULL: stacks are not distinguished */
	/* in the thread's state: the block that contains its innermost frames; 0: use frames */
	size_t chunk_at;
	size_t back_at; /* in a frame object: its caller; before 3.11 */
	/* at the last call or return: the state, and the block or the innermost frame */
	uint64_t thread, mark;
};
PRELOAD_HIDDEN extern struct stack_switch stack_switch;

/* Call once, when it is known that functions are recorded. */
void stack_switch_begin(void) PRELOAD_HIDDEN;

void stack_switch_see(uint64_t thread, uint64_t mark) PRELOAD_HIDDEN;

/* From 3.11 on: call before a call or return is recorded. */
static inline __attribute__((always_inline)) void stack_switch_look(void)
{
	uint64_t thread, mark;

	if (!stack_switch.chunk_at)
		return;
	thread = (uint64_t)(uintptr_t)stack_switch.current();
	mark = *(const uint64_t *)(uintptr_t)(thread + stack_switch.chunk_at);
	if (__builtin_expect(thread != stack_switch.thread || mark != stack_switch.mark, 0))
		stack_switch_see(thread, mark);
}

/*
 * Before 3.11: as stack_switch_look(). `frame` is the frame that begins, or else the innermost one;
 * `ends`: it is left.
 */
void stack_switch_look_at(void *frame, bool begins, bool ends) PRELOAD_HIDDEN;

#endif
