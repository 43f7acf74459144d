/* SPDX-License-Identifier: MIT */
/*
 * Who called: the return address of a hook, or where that lies in a wrapper (wrappers.def: operator
 * new and its kin), the return address of the wrapper, up to CALLER_LEVELS of them.
 *
 * Cache. Most pages of code have no wrapper: 32 bits say so of a page, so that most callers cost one load and a compare,
 * and a program that calls from 24,000 places is looked at 3,000 times. They are small, and few, so that they stay in
 * the processor's first cache: a step of training calls from 130 pages. Of other pages they say that they are mixed, and a
 * word an address says how to get from its frame to the next, 0 for no wrapper. What is looked for may lie in all of a
 * line; what is wanted comes home, where the hot path looks, and what was there takes another place of the line, so
 * that what is used again and again stays, whatever came before it. Entries are read and written whole and relaxed; two
 * threads at worst classify the same page twice.
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
 * place. dlclose() makes all be forgotten (stacks/unload.h), but what libc unloads by itself nothing tells us. So a
 * cached word may be believed about what is a wrapper (being wrong, it
 * misattributes), but not about what can be read. What is read on the word of the cache is therefore
 * above the return address we started from and in the same page, which is mapped, since we return
 * through it. A step that leaves the page (one in 256 stack depths for operator new) is not taken:
 * the walk starts anew, at the cost of about 0.2 us, with frames worked out afresh: each is that of
 * code which is running, hence true. A word read from a frame that is not what the cache says is a
 * number to look up, never one to follow.
 */
#ifndef PRELOAD_HEAP_CALLER_H
#define PRELOAD_HEAP_CALLER_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/record/recorder.h"
#include "preload/stacks/large.h"

#define CALLER_LEVELS 4u
#define CALLER_PAGES 1024u /* powers of two */
#define CALLER_RULES 256u
#define CALLER_LINE_BYTES 64u /* that are searched, a line of the cache */
#define CALLER_ADDRESS_BITS 48u
#define CALLER_PAGE_BITS 12u

struct caller_known {
	uint32_t page[CALLER_PAGES]; /* caller_page_code(), and CALLER_PLAIN where no wrapper is */
	uint64_t rule[CALLER_RULES]; /* the address, above its 48 bits the rule */
};

PRELOAD_HIDDEN extern struct caller_known caller_known;

/*
 * The frame to give to caller_of(): the function's own, the exported one's. It must not end in a jump
 * to the function that passes it on (always_inline there): rbp is popped before such a jump.
 */
#define CALLER_FRAME ((void *const *)__builtin_frame_address(0))

#define CALLER_PLAIN 1u

/* The page's number, 36 bits, times an odd number: the uppermost 36 bits of the result, from which it could be had back. */
static inline uint64_t caller_page_mix(uint64_t address)
{
	return (address >> CALLER_PAGE_BITS << CALLER_PAGE_BITS) * (0x9e3779b97f4a7c15u << 16);
}

/* 10 bits of it are the home, the lower 31 of it the code: 5 are in both, none is lost. */
static inline uint32_t *caller_page_home(uint64_t mix)
{
	return &caller_known.page[mix >> 54];
}

static inline uint32_t caller_page_code(uint64_t mix)
{
	return (uint32_t)(mix >> 27);
}

static inline uint64_t *caller_rule_home(uint64_t address)
{
	return &caller_known.rule[address * 0x9e3779b97f4a7c15u >> 56];
}

/* Is known: nothing in the page of `address` is a wrapper. */
static inline bool caller_is_plain(uint64_t address)
{
	uint64_t mix = caller_page_mix(address);

	return __atomic_load_n(caller_page_home(mix), __ATOMIC_RELAXED) ==
	       (caller_page_code(mix) | CALLER_PLAIN);
}

/* Not plain: out of a wrapper, or from where nothing is known yet. */
uint64_t caller_skip(struct recorder_lane *lane, void *const *frame, uint64_t bytes);
/* With Python's stack around it, where the thread has one. */
uint64_t caller_of_large(struct recorder_lane *lane, void *const *frame, uint64_t bytes);

/*
 * Who called for `bytes`, as the record of `lane` has it. Where that is a stack `lane` is IN_RECORD afterwards, and the stack's
 * frames are in the ring: the record's time has to be taken later.
 */
static inline __attribute__((always_inline)) uint64_t caller_of(struct recorder_lane *lane,
								void *const *frame, uint64_t bytes)
{
	uint64_t address = (uintptr_t)frame[1];

	if (__builtin_expect(large_heap_is_due(bytes), 0))
		return caller_of_large(lane, frame, bytes);
	if (__builtin_expect(caller_is_plain(address), 1))
		return address;
	return caller_skip(lane, frame, bytes);
}

struct cfi_row;
/* The row as a word of the cache has it, 0: no frame to skip. */
unsigned int caller_rule(const struct cfi_row *row);

/* Forgets what was learned: for tests. */
void caller_forget(void);

#endif
