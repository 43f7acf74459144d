/* SPDX-License-Identifier: MIT */
/*
 * How to leave the frame that is at an address, in one word, and the process-wide tables of them.
 *
 * Two tables. The hot one is small, so that what a program uses now stays in the caches, and is looked at in one place; it has
 * the rules that nearly all frames have (RULE_IS_USUAL), with the rest of the address in the same word. The large one has all,
 * and lines of a cache line, so that one look is one miss. Both are bounded; what finds its line full takes the
 * place of another, which is worked out again when it is needed. Words are written whole and relaxed. In the large
 * one an entry's mark is made of address, epoch and word, so that halves of two entries fit nobody.
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
#include "collector/cfi/cfi.h"

/*
 * A usual rule: CFA = rsp or rbp + some words, and rbp either saved below the return address or the caller's still. Nearly
 * all are, and step.h leaves them without a branch: the distance of the saved rbp is that of the return address where rbp is
 * not saved. Never of a frame that was interrupted: it may begin where nothing can be read. The bits that are left
 * out here (RULE_HOT_MASK) say whose rule it is in the hot table, and nothing elsewhere.
 */
#define RULE_IS_USUAL (1u << 0)
#define RULE_IS_WRAPPER (1u << 1)
#define USUAL_BY_RBP (1u << 2)
#define USUAL_SAVED_MASK (7u << 3) /* bytes from the return address down to rbp; 0: not saved */
#define USUAL_SAVED_MAX 7          /* words */
#define USUAL_OFFSET_SHIFT 54u     /* words, 10 bits */
#define USUAL_OFFSET_MAX 1023

/* Any other rule: bits 2 to 4; 0 is no rule */
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

/* bits 5 and 6 */
enum rule_rbp {
	RULE_RBP_SAME,
	RULE_RBP_BY_CFA, /* saved at CFA + rule_rbp_offset() */
	RULE_RBP_BY_RBP,
	RULE_RBP_BY_RSP,
};

#define RULE_KIND_SHIFT 2u
#define RULE_RBP_SHIFT 5u
#define RULE_AFTER_SHIFT 7u /* in words */
#define RULE_AFTER_MAX 31u
#define RULE_SAVED_SHIFT 12u
#define RULE_SAVED_BITS 24u   /* in words, signed */
#define RULE_OFFSET_SHIFT 36u /* bytes, signed */
#define RULE_OFFSET_BITS 28u

/* Of a usual rule, in bytes. */
static inline uint64_t usual_offset(uint64_t rule)
{
	return (rule >> USUAL_OFFSET_SHIFT) * 8;
}

/* Of a usual rule: where rbp is saved, or else the return address. */
static inline uint64_t usual_saved_at(uint64_t rule, uint64_t cfa)
{
	return cfa - 8 - (rule & USUAL_SAVED_MASK);
}

/* Of all others. */
static inline enum rule_kind rule_kind(uint64_t rule)
{
	return (enum rule_kind)(rule >> RULE_KIND_SHIFT & 7);
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

/* The row in one word; rule_of_kind(RULE_UNKNOWN) when it does not fit. */
uint64_t rule_pack(const struct cfi_row *row);
/* A usual rule as the others are; any other as it is. */
uint64_t rule_in_full(uint64_t rule);

static inline uint64_t rule_of_kind(enum rule_kind kind)
{
	return (uint64_t)kind << RULE_KIND_SHIFT;
}

struct rule_entry {
	uint64_t mark, word;
};

#define RULES_LINE 4u /* entries */
/*
 * An address and, where the frame was interrupted there and is not to return there, this bit, which is that of the frame's
 * word. The epoch has bits that neither of them has.
 */
#define RULES_EXACT ((uint64_t)FRAME_IS_EXACT << RECORD_FRAME_SHIFT)
#define RULES_PLACE (RULES_EXACT | ((1ull << 47) - 1))
#define RULES_EPOCH_SHIFT 16u
#define RULES_EPOCHS 0x8000u /* that entries can tell apart */

/*
 * The hot table. A product with an odd number, modulo 2^47, is another address' for no address: its upper bits are the
 * place in the table, all others stand in the entry, and so do the last two of the place, as an entry may stand in each place
 * of four. Thus an entry is its address' only.
 */
#define RULES_HOT_BITS 12u
#define RULES_HOT_WAYS 4u
#define RULES_HOT_EPOCH_SHIFT 6u
#define RULES_HOT_EPOCHS 0x800u
#define RULES_HOT_ADDRESS_SHIFT 17u
#define RULE_HOT_MASK (RULE_IS_USUAL | (((1ull << 48) - 1) << RULES_HOT_EPOCH_SHIFT))

struct rules {
	uint64_t *hot;            /* 1 << RULES_HOT_BITS usual rules; 0: none */
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

/* `place`: an address and RULES_EXACT. */
uint64_t rule_search(uint64_t place);

/* The place in its upper bits, what else says of the address below. */
static inline uint64_t rule_hot_code(uint64_t address)
{
	return address * (0x9e3779b97f4a7c15u << RULES_HOT_ADDRESS_SHIFT);
}

static inline uint64_t rule_hot_place(uint64_t code)
{
	return code >> (64 - RULES_HOT_BITS);
}

/* What the hot entries of an epoch have beside the code. */
static inline uint64_t rules_epoch_bits(uint64_t epoch)
{
	return (epoch >> RULES_EPOCH_SHIFT & (RULES_HOT_EPOCHS - 1)) << RULES_HOT_EPOCH_SHIFT |
	       RULE_IS_USUAL;
}

/* 0: the entry is of that address and epoch. */
static inline uint64_t rule_hot_differs(uint64_t entry, uint64_t code, uint64_t epoch_bits)
{
	return (entry ^ code ^ epoch_bits) & RULE_HOT_MASK;
}

/* As rules_epoch_bits() has it. */
static inline uint64_t rule_hot_epoch(uint64_t entry)
{
	return entry & ((RULES_HOT_EPOCHS - 1) << RULES_HOT_EPOCH_SHIFT | (uint64_t)RULE_IS_USUAL);
}

static inline uint64_t rule_hot_entry(uint64_t rule, uint64_t code, uint64_t epoch_bits)
{
	return (rule & ~RULE_HOT_MASK) | ((code ^ epoch_bits) & RULE_HOT_MASK);
}

/* `place`: an address and RULES_EXACT; `epoch_bits`: rules_epoch_bits(). By the address alone, so that a walk does not wait for more. */
static inline __attribute__((always_inline)) uint64_t rule_at(uint64_t place, uint64_t epoch_bits)
{
	uint64_t code = rule_hot_code(place);
	uint64_t entry = __atomic_load_n(&rules.hot[rule_hot_place(code)], __ATOMIC_RELAXED);

	/* the code has no more of it than 47 bits */
	if (__builtin_expect(!(rule_hot_differs(entry, code, epoch_bits) | place >> 47), 1))
		return entry;
	return rule_search(place);
}

#endif
