/* SPDX-License-Identifier: MIT */
/*
 * How to leave the frame that is at an address, in one word, and the process-wide tables of them.
 *
 * Two tables. The hot one is small, so that what a program uses now stays in the caches, and is looked at in one place.
 * The large one has lines of a cache line, so that one look is one miss. Both are bounded; what finds
 * its line full takes the place of another, which is worked out again when it is needed. Words are written whole and
 * relaxed. An entry's mark is made of address, epoch and word, so that halves of two entries fit nobody.
 *
 * Epochs. An unloaded library's addresses may become another's. rules_unloading_begins() makes everything known
 * stale, and nothing is kept until the unloading has ended (unload.c).
 *
 * A rule is found by _dl_find_object() and .eh_frame: no lock, no allocation, any thread, signal handlers too.
 */
#ifndef PRELOAD_STACKS_RULES_H
#define PRELOAD_STACKS_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/frame_flags.h"
#include "collector/region/record.h"
#include "preload/base/hidden.h"
#include "preload/stacks/cfi.h"

/* bits 0 to 2; 0 is no rule */
enum rule_kind {
	RULE_NONE,
	RULE_RSP,      /* CFA = rsp + offset */
	RULE_RBP,      /* CFA = rbp + offset */
	RULE_RSP_LOAD, /* CFA = word at rsp + offset, + after */
	RULE_RBP_LOAD,
	RULE_SIGNAL, /* a ucontext lies at rsp */
	RULE_END,    /* the outermost frame */
	RULE_UNKNOWN,
};

/* bits 3 and 4 */
enum rule_rbp {
	RULE_RBP_SAME,
	RULE_RBP_BY_CFA, /* saved at CFA + rule_rbp_offset() */
	RULE_RBP_BY_RBP,
	RULE_RBP_BY_RSP,
};

#define RULE_KIND_MASK 7u
#define RULE_RBP_SHIFT 3u
#define RULE_IS_WRAPPER (1u << 5)
/*
 * CFA = rsp or rbp + a multiple of 8, and rbp either saved below the CFA or the caller's still. Nearly all are, and
 * step.h leaves them without a branch: the distance of the saved rbp is that of the return address where rbp is not saved. Never
 * of a frame that was interrupted: it may begin where nothing can be read.
 */
#define RULE_IS_USUAL (1u << 6)
#define RULE_AFTER_SHIFT 7u /* in words */
#define RULE_AFTER_MAX 31u
#define RULE_SAVED_SHIFT 12u
#define RULE_SAVED_BITS 24u /* in words, signed */
#define RULE_OFFSET_SHIFT \
	36u /* bytes, signed, 28 bits: each walk waits for it, so it takes one shift */
#define RULE_OFFSET_BITS 28u

static inline enum rule_kind rule_kind(uint64_t rule)
{
	return (enum rule_kind)(rule & RULE_KIND_MASK);
}

static inline enum rule_rbp rule_rbp(uint64_t rule)
{
	return (enum rule_rbp)(rule >> RULE_RBP_SHIFT & 3);
}

static inline int64_t rule_offset(uint64_t rule)
{
	return (int64_t)rule >> RULE_OFFSET_SHIFT;
}

static inline int64_t rule_after(uint64_t rule)
{
	return (int64_t)(rule >> RULE_AFTER_SHIFT & RULE_AFTER_MAX) * 8;
}

static inline int64_t rule_rbp_offset(uint64_t rule)
{
	return ((int64_t)(rule << (64 - RULE_SAVED_SHIFT - RULE_SAVED_BITS)) >>
		(64 - RULE_SAVED_BITS)) *
	       8;
}

/* The row in one word; RULE_UNKNOWN when it does not fit. */
uint64_t rule_pack(const struct cfi_row *row);

struct rule_entry {
	uint64_t mark, word;
};

#define RULE_ENTRY_BITS 4u /* of its size */
_Static_assert(sizeof(struct rule_entry) == 1u << RULE_ENTRY_BITS, "rule_hot() counts bytes");

#define RULES_LINE 4u /* entries */
#define RULES_HOT_BITS 14u
/*
 * An address and, where the frame was interrupted there and is not to return there, this bit, which is that of the frame's
 * word. The epoch has bits that neither of them has.
 */
#define RULES_EXACT ((uint64_t)FRAME_IS_EXACT << RECORD_FRAME_SHIFT)
#define RULES_PLACE (RULES_EXACT | ((1ull << 47) - 1))
#define RULES_EPOCH_SHIFT 16u
#define RULES_EPOCHS 0x8000u /* that entries can tell apart */

struct rules {
	struct rule_entry *hot;   /* 1 << RULES_HOT_BITS */
	struct rule_entry *entry; /* NULL: nothing is kept */
	uint64_t mask;            /* entries - 1 */
	uint64_t
		epoch; /* number above RULES_EPOCH_SHIFT; changes when what is known has become stale */
};

PRELOAD_HIDDEN extern struct rules rules;

/* Entries to keep, a power of two; `outermost`: where makecontext() lets functions return to. False: no memory. */
bool rules_begin(uint64_t entries, uintptr_t outermost);
void rules_unloading_begins(void);
void rules_unloading_ends(void);
/* The epoch of now; what was derived from rules of another one is stale. */
static inline uint64_t rules_epoch(void)
{
	return __atomic_load_n(&rules.epoch, __ATOMIC_ACQUIRE);
}

uint64_t rule_search(uint64_t key);

/* By the address alone, so that a walk does not wait for more; the mark has the epoch. */
static inline struct rule_entry *rule_hot(uint64_t place)
{
	uint64_t at = place * 0x9e3779b97f4a7c15u >> (64 - RULES_HOT_BITS - RULE_ENTRY_BITS);

	return (struct rule_entry *)((char *)rules.hot + (at & ~(sizeof(struct rule_entry) - 1)));
}

/* What keys of an epoch have in the bits that RULES_PLACE leaves. */
static inline uint64_t rules_epoch_bits(uint64_t epoch)
{
	uint64_t number = epoch >> RULES_EPOCH_SHIFT;

	return (number & 0xff) << 48 | (number >> 8 & 0x7f) << 57;
}

/* `place`: an address and RULES_EXACT; `epoch_bits`: rules_epoch_bits(). */
static inline __attribute__((always_inline)) uint64_t rule_at(uint64_t place, uint64_t epoch_bits)
{
	uint64_t key = place | epoch_bits;
	const struct rule_entry *e = rule_hot(place);
	uint64_t word = __atomic_load_n(&e->word, __ATOMIC_RELAXED);

	if (__builtin_expect((__atomic_load_n(&e->mark, __ATOMIC_RELAXED) ^
			      word * 0xd6e8feb86659fd93u) == key,
			     1))
		return word;
	return rule_search(key);
}

#endif
