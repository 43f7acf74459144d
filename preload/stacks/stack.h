/* SPDX-License-Identifier: MIT */
/*
 * The whole call stack of a hook, as an id for its record. README.md says how it works and why it
 * can be trusted. If INTERCEPT_STACKS sets no stacks for a family, nothing here is called.
 *
 * Any thread, signal handlers too; no lock, no allocation but a thread's first (mmap). errno is
 * preserved.
 */
#ifndef PRELOAD_STACKS_STACK_H
#define PRELOAD_STACKS_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/record/recorder.h"

/* The frame to pass on: the exported function's own. See CALLER_FRAME in heap/caller.h. */
#define STACK_FRAME ARCH_FRAME

#define STACK_ENTRIES_DEFAULT (1u << 18) /* for each table: frames that were sent, rules */

/*
 * Families whose records have stacks, as bits 1 << enum evt_family; those of them with native
 * frames, and those with Python's.
 */
PRELOAD_HIDDEN extern unsigned int stack_families;
PRELOAD_HIDDEN extern unsigned int stack_native_families, stack_python_families;

/*
 * Returns the id of the thread's Python stack, 0 if it runs no Python. NULL: Python is not known
 * (yet).
 */
PRELOAD_HIDDEN extern uint64_t (*stack_python)(struct recorder_lane *lane);

/* Families whose records have not even a caller. */
PRELOAD_HIDDEN extern unsigned int stack_without;

/* Allocations of fewer bytes have only their caller. */
PRELOAD_HIDDEN extern uint64_t stack_min_bytes;

/* Mean number of bytes from one sampled allocation to the next; 0: every allocation has a stack. */
PRELOAD_HIDDEN extern uint64_t stack_every;

/* True if this allocation is sampled. Only if stack_every is set. */
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

/*
 * Joins the thread's last native stack and its last Python stack. Returns the id, 0 if they do not
 * match (counted). NULL: stacks cannot be joined.
 */
PRELOAD_HIDDEN extern uint64_t (*stack_join)(struct recorder_lane *lane, uint64_t native,
					     uint64_t python);

/* True if some family has both in one stack. */
static inline bool stack_is_joined(void)
{
	return stack_native_families & stack_python_families;
}

/*
 * Maps the tables of `entries` (a power of two) each, for stacks of at most `depth` frames. Call
 * once, while all gates are shut. Returns 0, -ENOSYS: this C library cannot tell which object holds
 * an address, or -ENOMEM.
 */
int stack_begin(unsigned int families, uint64_t entries, unsigned int depth);

/*
 * Returns the id of the stack that `frame` was called from; its frames are in the ring before the
 * record. 0: no stack, because the thread has no memory, the ring has no room, or a signal handler
 * interrupted (counted in the region). `lane` is IN_RECORD.
 */
uint64_t stack_id(struct recorder_lane *lane, void *const *frame);

/*
 * Sets the address range of this library: frames in it do not belong to a hook's caller. Empty
 * until then.
 */
void stack_set_own(uintptr_t low, uintptr_t high);

/* The stack of the code that called into this library, from within a hook of the family. */
uint64_t stack_outside(struct recorder_lane *lane, enum evt_family family);

/* As stack_outside() if the family's records have stacks, else 0. */
static inline uint64_t stack_of(struct recorder_lane *lane, enum evt_family family)
{
	return stack_is_wanted(family) ? stack_outside(lane, family) : 0;
}

/* Returns the return address of the innermost frame that is no wrapper. */
uint64_t stack_plain_caller(void *const *frame);

/*
 * Returns the id of the thread's Python stack alone, if the family's records have Python frames; 0:
 * none.
 */
static inline uint64_t stack_python_of(struct recorder_lane *lane, enum evt_family family)
{
	if (__builtin_expect(!(stack_python_families >> family & 1), 1) || !stack_python)
		return 0;
	return stack_python(lane);
}

/*
 * Returns the caller word of a heap record: RECORD_STACK_BIT and the stack's id, or the return
 * address.
 */
uint64_t stack_here(struct recorder_lane *lane, void *const *frame);

/* As stack_here(), for a record of another family. */
uint64_t stack_here_of(struct recorder_lane *lane, enum evt_family family, void *const *frame);

/*
 * As recorder_room(), for a record with its stack before it, which is in the ring afterwards.
 * `stack` is an id, 0: without a stack.
 */
uint64_t *stack_room(struct recorder_lane *lane, uint64_t stack, uint64_t ticks,
		     unsigned int words);

/* As recorder_put(), for a record with a stack. */
bool stack_put(struct recorder_lane *lane, uint64_t stack, uint32_t type, uint64_t ticks,
	       const uint64_t *field, unsigned int fields);

/* Call in a forked child, while its gates are shut. */
void stack_forked(void);

#endif
