/* SPDX-License-Identifier: MIT */
/*
 * How to leave the frame of a return address, as one word (a rule), and the process-wide tables of
 * rules.
 *
 * Two tables. The hot one is small, so that the rules in use stay in the CPU's caches, and the hot
 * path looks at one place only. It has the usual rules, which nearly all frames have
 * (RULE_IS_USUAL), with the rest of the address in the same word. The large table has all rules.
 * Its lines are cache lines, so that a lookup misses the cache once. Both tables are bounded. If a
 * line is full, an entry is replaced, and computed again when it is needed. Words are written whole
 * and relaxed. In the large table an entry's mark is made of address, epoch and word, so that
 * halves of two entries never match.
 *
 * Epochs. The addresses of an unloaded library may be used again by another one.
 * rules_unloading_begins() makes all known rules stale, and no rule is kept until the unloading has
 * ended (unload.c).
 *
 * A rule is found by _dl_find_object() and .eh_frame: no lock, no allocation, any thread, signal
 * handlers too.
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
 * A usual rule: CFA = rsp or rbp + some words, and rbp is either saved below the return address or
 * not changed. Nearly all rules are usual, and step.h follows them without a branch: if rbp is not
 * saved, the offset of the return address stands for the offset of the saved rbp. The rule of an
 * interrupted frame is never usual, because that frame may begin where nothing can be read. The
 * bits in RULE_HOT_MASK identify the rule's address in the hot table, and mean nothing elsewhere.
 */
#define RULE_IS_USUAL (1u << 0)
#define RULE_IS_WRAPPER (1u << 1)
#define USUAL_BY_RBP (1u << 2)
/* bytes from the return address down to the saved rbp; 0: not saved */
#define USUAL_SAVED_MASK (7u << 3)
#define USUAL_SAVED_MAX 7      /* in words */
#define USUAL_OFFSET_SHIFT 54u /* in words, 10 bits */
#define USUAL_OFFSET_MAX 1023

/* Any other rule: bits 2 to 4; 0 is no rule */
enum rule_kind {
	RULE_NONE,
	RULE_RSP,      /* CFA = rsp + offset */
	RULE_RBP,      /* CFA = rbp + offset */
	RULE_RSP_LOAD, /* CFA = word at rsp + offset, + after */
	RULE_RBP_LOAD,
	RULE_SIGNAL, /* a ucontext is at rsp */
	RULE_END,    /* the outermost frame */
	RULE_UNKNOWN,
};

/* bits 5 and 6; with ARCH_HAS_PAIRS only the first two, and the return address is 8 bytes higher */
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

/* The offset of a usual rule, in bytes. */
static inline uint64_t usual_offset(uint64_t rule)
{
	return (rule >> USUAL_OFFSET_SHIFT) * 8;
}

/* For a usual rule: the place of the saved rbp, or else of the return address. */
static inline uint64_t usual_saved_at(uint64_t rule, uint64_t cfa)
{
	return cfa - 8 - (rule & USUAL_SAVED_MASK);
}

/* For all other rules. */
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

/* Packs the row into one word. Returns rule_of_kind(RULE_UNKNOWN) if it does not fit. */
uint64_t rule_pack(const struct cfi_row *row);
/* Converts a usual rule to the form of the others. Any other rule is returned as it is. */
uint64_t rule_in_full(uint64_t rule);

static inline uint64_t rule_of_kind(enum rule_kind kind)
{
	return (uint64_t)kind << RULE_KIND_SHIFT;
}

struct rule_entry {
	uint64_t mark, word;
};

#define RULES_LINE 4u /* in entries */
/*
 * A place is an address, with this bit if the frame was interrupted there and does not return
 * there; it is the same bit as in the frame's word. The epoch uses bits that neither of them has.
 */
#define RULES_EXACT ((uint64_t)FRAME_IS_EXACT << RECORD_FRAME_SHIFT)
#define RULES_PLACE (RULES_EXACT | ((1ull << ARCH_ADDRESS_BITS) - 1))
#define RULES_EPOCH_SHIFT 16u
#define RULES_EPOCHS 0x8000u /* epochs that entries can tell apart */

/*
 * The hot table. Multiplication by an odd number modulo 2^47 is one to one. The upper bits of the
 * product are the place in the table. The entry has all other bits, and also the last two of the
 * place, because it may be in any of four places. So an entry matches exactly one address.
 */
#define RULES_HOT_BITS 12u
#define RULES_HOT_WAYS 4u
#define RULES_HOT_EPOCH_SHIFT 6u
#define RULES_HOT_EPOCHS 0x800u
#define RULES_HOT_ADDRESS_BITS 47u /* other addresses are in the large table only */
#define RULES_HOT_ADDRESS_SHIFT 17u
#define RULE_HOT_MASK (RULE_IS_USUAL | (((1ull << 48) - 1) << RULES_HOT_EPOCH_SHIFT))

struct rules {
	uint64_t *hot;            /* 1 << RULES_HOT_BITS usual rules; 0: no rule */
	struct rule_entry *entry; /* NULL: nothing is kept */
	uint64_t mask;            /* entries - 1 */
	/* number above RULES_EPOCH_SHIFT; changes when known rules have become stale */
	uint64_t epoch;
};

PRELOAD_HIDDEN extern struct rules rules;

/*
 * Maps the tables with `entries`, a power of two. `outermost` is the address to which functions
 * started by makecontext() return. Returns false if there is no memory.
 */
bool rules_begin(uint64_t entries, uintptr_t outermost);
void rules_unloading_begins(void);
void rules_unloading_ends(void);
/* The current epoch. What was derived from rules of another epoch is stale. */
static inline uint64_t rules_epoch(void)
{
	return __atomic_load_n(&rules.epoch, __ATOMIC_ACQUIRE);
}

/* `place` is an address, perhaps with RULES_EXACT. */
uint64_t rule_search(uint64_t place);

/* The place in the table in the upper bits, the rest of the address below. */
static inline uint64_t rule_hot_code(uint64_t address)
{
	return address * (0x9e3779b97f4a7c15u << RULES_HOT_ADDRESS_SHIFT);
}

static inline uint64_t rule_hot_place(uint64_t code)
{
	return code >> (64 - RULES_HOT_BITS);
}

/* The bits of an epoch in a hot entry. */
static inline uint64_t rules_epoch_bits(uint64_t epoch)
{
	return (epoch >> RULES_EPOCH_SHIFT & (RULES_HOT_EPOCHS - 1)) << RULES_HOT_EPOCH_SHIFT |
	       RULE_IS_USUAL;
}

/* Returns 0 if the entry is for that address and epoch. */
static inline uint64_t rule_hot_differs(uint64_t entry, uint64_t code, uint64_t epoch_bits)
{
	return (entry ^ code ^ epoch_bits) & RULE_HOT_MASK;
}

/* In the form of rules_epoch_bits(). */
static inline uint64_t rule_hot_epoch(uint64_t entry)
{
	return entry & ((RULES_HOT_EPOCHS - 1) << RULES_HOT_EPOCH_SHIFT | (uint64_t)RULE_IS_USUAL);
}

static inline uint64_t rule_hot_entry(uint64_t rule, uint64_t code, uint64_t epoch_bits)
{
	return (rule & ~RULE_HOT_MASK) | ((code ^ epoch_bits) & RULE_HOT_MASK);
}

/*
 * `place` is an address, perhaps with RULES_EXACT; `epoch_bits` is rules_epoch_bits(). The first
 * load depends on the address only, so that a walk does not wait for more.
 */
static inline __attribute__((always_inline)) uint64_t rule_at(uint64_t place, uint64_t epoch_bits)
{
	uint64_t code = rule_hot_code(place);
	uint64_t entry = __atomic_load_n(&rules.hot[rule_hot_place(code)], __ATOMIC_RELAXED);

	/* the code covers only RULES_HOT_ADDRESS_BITS of the address */
	if (__builtin_expect(
		    !(rule_hot_differs(entry, code, epoch_bits) | place >> RULES_HOT_ADDRESS_BITS),
		    1))
		return entry;
	return rule_search(place);
}

#endif
