/* SPDX-License-Identifier: MIT */
/*
 * Who called, all the way: the stack of a hook, as an id for its record. README.md says how and why it can be
 * trusted. With INTERCEPT_STACKS=native only; where that is not set for a family nothing here is called.
 *
 * Any thread, signal handlers too; no lock, no allocation but a thread's first (mmap). errno is kept.
 */
#ifndef PRELOAD_STACKS_STACK_H
#define PRELOAD_STACKS_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/record/recorder.h"

/* The frame to hand on: the function's own, the exported one's; see CALLER_FRAME in heap/caller.h. */
#define STACK_FRAME ((void *const *)__builtin_frame_address(0))

#define STACK_ENTRIES_DEFAULT (1u << 18) /* of the tables: frames that were sent, rules */

/* Bits 1 << enum evt_family: whose records have stacks; of these, who has native frames and who has Python's. */
PRELOAD_HIDDEN extern unsigned int stack_families;
PRELOAD_HIDDEN extern unsigned int stack_native_families, stack_python_families;

/* The id of the thread's Python stack, 0: it runs none. NULL: Python is not known (yet). */
PRELOAD_HIDDEN extern uint64_t (*stack_python)(struct recorder_lane *lane);

/* Whose records have not even a caller. */
PRELOAD_HIDDEN extern unsigned int stack_without;

/* An allocation of fewer bytes has its caller only. */
PRELOAD_HIDDEN extern uint64_t stack_min_bytes;

/* Bytes from one sampled allocation to the next, on average; 0: every allocation has a stack. */
PRELOAD_HIDDEN extern uint64_t stack_every;

/* Is this allocation sampled? Where stack_every is set. */
bool stack_is_sampled(uint64_t bytes);

/*
 * Decides whether an allocation of `bytes` gets its stack or only its caller. Call it once for
 * each allocation.
 */
static inline bool stack_is_due(uint64_t bytes)
{
	return bytes >= stack_min_bytes && (!stack_every || stack_is_sampled(bytes));
}

static inline bool stack_is_wanted(enum evt_family family)
{
	return __builtin_expect(stack_families >> family & 1, 0);
}

static inline bool stack_is_off(enum evt_family family)
{
	return stack_without >> family & 1;
}

/* The id of both, these being the thread's last; 0: they do not fit (counted). NULL: they cannot be joined. */
PRELOAD_HIDDEN extern uint64_t (*stack_join)(struct recorder_lane *lane, uint64_t native,
					     uint64_t python);

/* Some family has both in one stack. */
static inline bool stack_is_joined(void)
{
	return stack_native_families & stack_python_families;
}

/*
 * Maps the tables: `entries` (a power of two) of each, and stacks of at most `depth` frames. Once, while all gates are
 * shut. 0, -ENOSYS: this C library does not say which object holds an address, -ENOMEM.
 */
int stack_begin(unsigned int families, uint64_t entries, unsigned int depth);

/*
 * The id of the stack that `frame` was called from, with its frames in the ring before it; 0: none can be had: the
 * thread has no memory, the ring no room, or a signal handler came in between (counted in the region). `lane` is IN_RECORD.
 */
uint64_t stack_id(struct recorder_lane *lane, void *const *frame);

/* Where this library lies: frames in it are not those of a hook's caller. Nowhere until then. */
void stack_set_own(uintptr_t low, uintptr_t high);

/* The stack of whoever called into this library, from within a hook of the family. */
uint64_t stack_outside(struct recorder_lane *lane, enum evt_family family);

/* The same where the family's records have stacks, else 0. */
static inline uint64_t stack_of(struct recorder_lane *lane, enum evt_family family)
{
	return stack_is_wanted(family) ? stack_outside(lane, family) : 0;
}

/* The return address of the innermost frame that is no wrapper. */
uint64_t stack_plain_caller(void *const *frame);

/* The id of the thread's Python stack alone, where the family's records have Python frames; 0: none. */
static inline uint64_t stack_python_of(struct recorder_lane *lane, enum evt_family family)
{
	if (__builtin_expect(!(stack_python_families >> family & 1), 1) || !stack_python)
		return 0;
	return stack_python(lane);
}

/* The caller word of a heap record: RECORD_STACK_BIT and the stack's id, or the return address. */
uint64_t stack_here(struct recorder_lane *lane, void *const *frame);

/* The same of another family's record. */
uint64_t stack_here_of(struct recorder_lane *lane, enum evt_family family, void *const *frame);

/* recorder_room() for a record behind its stack, which is in the ring then; `stack` is an id, 0: without. */
uint64_t *stack_room(struct recorder_lane *lane, uint64_t stack, uint64_t ticks,
		     unsigned int words);

/* recorder_put() of such a record. */
bool stack_put(struct recorder_lane *lane, uint64_t stack, uint32_t type, uint64_t ticks,
	       const uint64_t *field, unsigned int fields);

/* In a forked child, its gates shut. */
void stack_forked(void);

#endif
