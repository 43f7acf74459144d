/* SPDX-License-Identifier: MIT */
/*
 * Finds the caller of a hook: its return address. If that lies in a wrapper (wrappers.def: operator
 * new and its relatives), the wrapper's return address is taken, up to CALLER_LEVELS times.
 *
 * Cache. Most pages of code have no wrapper. A word of 32 bits per page says so, and most callers
 * cost one load and a compare; a program that calls from 24,000 places needs 3,000 full lookups.
 * The words are small and few, so they stay in the processor's first cache: a training step calls
 * from 130 pages. Pages with a wrapper are marked as mixed, and a word per address says how to get
 * from its frame to the next, 0 for no wrapper. An entry may lie anywhere in its cache line. When
 * it is used, it moves to its home, where the hot path looks, and the entry there takes another
 * place of the line. So entries that are used again and again stay. Entries are read and written
 * whole and relaxed; at worst two threads classify the same page twice.
 *
 * A miss is classified from the tables of the object that holds the address. _dl_find_object()
 * finds the object (glibc 2.35 and newer; without it nothing is skipped), wrappers.h gives the
 * name, and collector/cfi/cfi.h the frame. No lock, no allocation, no system call, errno untouched:
 * any thread, any time, signal handlers too. A function without a name, or whose frame cfi.h
 * refuses, is no wrapper.
 *
 * With stacks (INTERCEPT_STACKS, preload/stacks) the cache stays empty, so that every call goes to
 * caller_skip(), which takes the stack instead. So the choice costs nothing where only callers are
 * recorded.
 *
 * Stale entries. The library at an address may have been unloaded and another one loaded in its
 * place. dlclose() empties the cache (stacks/unload.h), but we do not hear of libraries that libc
 * unloads by itself. So a cached word may decide what is a wrapper (an error misattributes a call),
 * but not what memory can be read. Memory is read on the word of the cache only above the return
 * address that we started from and in the same page, which is mapped because we return through it.
 * A step that leaves the page (one in 256 stack depths for operator new) is not taken. The walk
 * then starts again, at a cost of about 0.2 us, and computes each frame afresh from code that is
 * running, hence correctly. If a frame is not what the cache says, the word read from it is only
 * looked up, never followed.
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
#define CALLER_LINE_BYTES 64u /* the entries of one line are searched */
#define CALLER_ADDRESS_BITS 48u
#define CALLER_PAGE_BITS 12u

struct caller_known {
	/* caller_page_code(), and CALLER_PLAIN if the page has no wrapper */
	uint32_t page[CALLER_PAGES];
	uint64_t rule[CALLER_RULES]; /* the address, and the rule above its 48 bits */
};

PRELOAD_HIDDEN extern struct caller_known caller_known;

/*
 * The frame to pass to caller_of(): that of the exported function. The function must not end in a
 * jump to the function that passes the frame on (always_inline there), because rbp is popped before
 * such a jump.
 */
#define CALLER_FRAME ARCH_FRAME

#define CALLER_PLAIN 1u

/*
 * Multiplies the page's number (36 bits) by an odd number. The uppermost 36 bits of the result
 * identify the page.
 */
static inline uint64_t caller_page_mix(uint64_t address)
{
	return (address >> CALLER_PAGE_BITS << CALLER_PAGE_BITS) * (0x9e3779b97f4a7c15u << 16);
}

/*
 * The home is 10 bits of it, the code is the lower 31 bits. 5 bits are in both, and none is lost.
 */
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

/* True if it is known that the page of `address` has no wrapper. */
static inline bool caller_is_plain(uint64_t address)
{
	uint64_t mix = caller_page_mix(address);

	return __atomic_load_n(caller_page_home(mix), __ATOMIC_RELAXED) ==
	       (caller_page_code(mix) | CALLER_PLAIN);
}

/*
 * For pages that are not known to be plain: returns the caller outside of wrappers, or examines the
 * address if nothing is known of it.
 */
uint64_t caller_skip(struct recorder_lane *lane, void *const *frame, uint64_t bytes);
/* With Python's stack around it, where the thread has one. */
uint64_t caller_of_large(struct recorder_lane *lane, void *const *frame, uint64_t bytes);

/*
 * Returns the caller of an allocation of `bytes`, in the form for the record of `lane`. If it is a
 * stack, `lane` is IN_RECORD afterwards and the stack's frames are in the ring, so the record's
 * time must be taken after this call.
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

/* Returns the return address outside of wrappers, for a record that has its stack besides. */
uint64_t caller_alone(void *const *frame);

struct cfi_row;
/* The row as a word of the cache; 0: no frame to skip. */
unsigned int caller_rule(const struct cfi_row *row);

/* Empties the cache: for tests. */
void caller_forget(void);

#endif
