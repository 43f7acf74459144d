/* SPDX-License-Identifier: MIT */
/*
 * Python stacks of large blocks, which nobody has to ask for (INTERCEPT_STACKS=large, the default):
 * an allocation of INTERCEPT_STACKS_MIN bytes or more has, innermost in its stack, the return
 * address that it would have without, and around it the functions and lines of Python that its
 * thread was in. Where a thread runs no Python, it has its caller as ever.
 *
 * Tensors are far fewer than blocks of the heap, and what a program keeps of them is often small:
 * losses, scores, labels. So smaller tensors have such stacks, too, unless INTERCEPT_STACKS_MIN is
 * set.
 *
 * A program may ask for large blocks at any rate. So each thread has a budget: stacks take one part
 * in LARGE_PARTS of its time at most, beyond what has been saved up (LARGE_TICKS). The next
 * LARGE_SKIPPED large blocks after it was used up are not looked at. They have their caller only,
 * which reports count (report/heap/heap_share.h). Smaller tensors have a budget of their own.
 *
 * Native frames are not walked, so that neither .eh_frame nor a certain C library is needed. Any
 * thread, signal handlers too; no lock, no allocation but a thread's first (mmap).
 */
#ifndef PRELOAD_STACKS_LARGE_H
#define PRELOAD_STACKS_LARGE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/record/recorder.h"

#define LARGE_BYTES_MIN (64u << 10) /* where INTERCEPT_STACKS_MIN does not say */
#define LARGE_PARTS 100u
#define LARGE_TICKS (1ull << 29) /* a fifth of a second */
/* ticks: what takes longer has lost its CPU, or met code that is new */
#define LARGE_COST_MAX (1u << 14)
#define LARGE_SKIPPED 64u
/* the same for smaller blocks of families that have such stacks, too: tensors */
#define LARGE_SMALL_PARTS 200u
#define LARGE_SMALL_TICKS (1ull << 27)

/* What a thread may still spend; all 0 in the beginning. */
struct large_budget {
	uint64_t ticks; /* when it was looked at */
	uint64_t spent; /* of LARGE_TICKS, which time pays back */
	uint32_t skips; /* smaller blocks that are not looked at */
};

/* Large blocks of this thread that are not looked at. */
PRELOAD_HIDDEN extern __thread uint16_t large_skips __attribute__((tls_model("initial-exec")));

/* Bytes from which on blocks of the heap have such a stack; UINT64_MAX: none has. */
PRELOAD_HIDDEN extern uint64_t large_heap_bytes;

/*
 * Bits 1 << enum evt_family, and the least bytes of their records. No family until Python's frames
 * can be read.
 */
PRELOAD_HIDDEN extern unsigned int large_families;
/* The families whose smaller blocks have a stack, too, within a budget of their own. */
PRELOAD_HIDDEN extern unsigned int large_smaller;
PRELOAD_HIDDEN extern uint64_t large_bytes;

/*
 * Sets what large_begin() will switch on. Call while all gates are shut. Maps no memory: a program
 * without Python needs none.
 */
void large_prepare(unsigned int families, uint64_t bytes, unsigned int depth);
/* Their smaller blocks have stacks, too. Call after it. */
void large_prepare_smaller(unsigned int families);

/*
 * Maps what stacks need, before the first one is read, also where other families asked for theirs.
 * False: no memory. Python that is started before recording is has none yet.
 */
bool large_map(void);

/* Call once Python's frames can be read. */
void large_begin(void);

/* Is there anything left at that time? */
bool large_budget_lasts(struct large_budget *budget, uint64_t now);
/* A stack has taken so many ticks. */
void large_budget_spend(struct large_budget *budget, uint64_t ticks);
/* The same of smaller blocks. */
bool large_small_lasts(struct large_budget *budget, uint64_t now);
void large_small_spend(struct large_budget *budget, uint64_t ticks);

/* Whether that block is to have a stack. */
static inline bool large_heap_is_due(uint64_t bytes)
{
	if (__builtin_expect(bytes < large_heap_bytes, 1))
		return false;
	if (__builtin_expect(!large_skips, 1))
		return true;
	large_skips--;
	return false;
}

/*
 * The id of the thread's Python stack, 0: it runs none, or its budget is used up. `lane` is
 * IN_RECORD.
 */
uint64_t large_stack(struct recorder_lane *lane);
/* The same of a smaller block. */
uint64_t large_small_stack(struct recorder_lane *lane);

/*
 * The same with the caller innermost: of events whose file has a caller, which is the stack's
 * innermost frame.
 */
uint64_t large_stack_from(struct recorder_lane *lane, uint64_t caller);

/*
 * The caller word of a heap record: the stack with the caller innermost, for which `lane` is
 * switched to IN_RECORD; or the caller.
 */
uint64_t large_caller(struct recorder_lane *lane, uint64_t caller);

/* The stack of a record of `bytes` of the family; 0: it has none. */
static inline uint64_t large_stack_of(struct recorder_lane *lane, enum evt_family family,
				      uint64_t bytes)
{
	if (!(large_families >> family & 1))
		return 0;
	if (bytes >= large_bytes)
		return large_stack(lane);
	return large_smaller >> family & 1 ? large_small_stack(lane) : 0;
}

#endif
