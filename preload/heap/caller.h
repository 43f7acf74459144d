/* SPDX-License-Identifier: MIT */
/*
 * Who called: the return address of a hook, or where that lies in a wrapper (wrappers.def: operator
 * new and its kin), the return address of the wrapper, up to CALLER_LEVELS of them.
 *
 * Cache. A word an address: the address in the lower 48 bits, above them how to get from its frame to
 * the next, 0 for no wrapper. Most callers are no wrappers and cost one load and a compare. Words are
 * read and written whole and relaxed; two threads at worst classify the same address twice.
 *
 * What is not in the cache is classified from the tables of the object that holds it: found by
 * _dl_find_object() (glibc 2.35 and newer; without it nothing is skipped), named by wrappers.h, its
 * frame told by collector/cfi/cfi.h. No lock, no allocation, no system call, errno untouched: any thread, any time,
 * signal handlers too. A function that has no name, or whose frame cfi.h refuses, is no wrapper.
 *
 * With stacks (INTERCEPT_STACKS, preload/stacks) nothing is in the cache, so that every call comes to
 * caller_skip(), which takes the stack instead; so callers alone cost what they cost without the choice.
 *
 * Stale words. The library that an address lay in may have been unloaded and another one loaded in its
 * place; nothing tells us. So a cached word may be believed about what is a wrapper (being wrong, it
 * misattributes), but not about what can be read. What is read on the word of the cache is therefore
 * above the return address we started from and in the same page, which is mapped, since we return
 * through it. A step that leaves the page (one in 256 stack depths for operator new) is not taken:
 * the walk starts anew, at the cost of about 0.2 us, with frames worked out afresh: each is that of
 * code which is running, hence true. A word read from a frame that is not what the cache says is a
 * number to look up, never one to follow.
 */
#ifndef PRELOAD_HEAP_CALLER_H
#define PRELOAD_HEAP_CALLER_H

#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/record/recorder.h"

#define CALLER_LEVELS 4u
#define CALLER_WORDS 4096u /* power of two */
#define CALLER_LINE 8u     /* words that are searched, one cache line */
#define CALLER_ADDRESS_BITS 48u

PRELOAD_HIDDEN extern uint64_t caller_cache[CALLER_WORDS];

/*
 * The frame to give to caller_of(): the function's own, the exported one's. It must not end in a jump
 * to the function that passes it on (always_inline there): rbp is popped before such a jump.
 */
#define CALLER_FRAME ((void *const *)__builtin_frame_address(0))

static inline uint64_t *caller_home(uint64_t address)
{
	return &caller_cache[address * 0x9e3779b97f4a7c15u >> 52];
}

/* What the address has in the cache: itself, itself and a rule, or another address. */
static inline uint64_t caller_word(uint64_t address)
{
	return __atomic_load_n(caller_home(address), __ATOMIC_RELAXED);
}

uint64_t caller_skip(struct recorder_lane *lane, void *const *frame, uint64_t word, uint64_t bytes);

/*
 * Who called for `bytes`, as the record of `lane` has it. Where that is a stack `lane` is IN_RECORD afterwards, and the stack's
 * frames are in the ring: the record's time has to be taken later.
 */
static inline __attribute__((always_inline)) uint64_t caller_of(struct recorder_lane *lane,
								void *const *frame, uint64_t bytes)
{
	uint64_t address = (uintptr_t)frame[1];
	uint64_t word = caller_word(address);

	if (__builtin_expect(word == address, 1))
		return address;
	return caller_skip(lane, frame, word, bytes);
}

struct cfi_row;
/* The row as a word of the cache has it, 0: no frame to skip. */
unsigned int caller_rule(const struct cfi_row *row);

/* Forgets what was learned: for tests. */
void caller_forget(void);

#endif
