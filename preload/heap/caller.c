/* SPDX-License-Identifier: MIT */
/* See caller.h. */
#include "preload/heap/caller.h"

#include <stdbool.h>
#include <stddef.h>

#include "collector/cfi/cfi.h"
#include "preload/base/object_span.h"
#include "preload/stacks/stack.h"
#include "preload/stacks/wrappers.h"

#define ADDRESS_MASK ((1ull << CALLER_ADDRESS_BITS) - 1)
#define PAGE_BITS 12u
#define FRAME_WORDS_MAX 64u /* of a wrapper: more are refused */

/* The upper bits of a word of the cache. */
#define RULE_WORDS_BITS 7u
#define RULE_BY_RBP (1u << 7)
#define RULE_RBP_SHIFT 8u

uint64_t caller_cache[CALLER_WORDS] __attribute__((aligned(64)));

_Static_assert(CALLER_WORDS == 1u << (64 - 52), "caller_home() takes the upper bits");
_Static_assert(FRAME_WORDS_MAX < 1u << RULE_WORDS_BITS, "distances fit");

/* Frames of small functions: by rsp, or a standard frame by rbp. 0: another one. */
unsigned int caller_rule(const struct cfi_row *row)
{
	uint64_t words = (uint64_t)row->offset / 8;
	uint64_t rbp_words = row->rbp.how == CFI_SAVED_BY_CFA ? (uint64_t)-row->rbp.offset / 8 : 0;

	if (row->signal || row->ret.how != CFI_SAVED_BY_CFA || row->ret.offset != -8 ||
	    row->offset % 8 ||
	    (row->rbp.how != CFI_SAVED_SAME && row->rbp.how != CFI_SAVED_BY_CFA) ||
	    (rbp_words && row->rbp.offset % 8))
		return 0;
	if (row->cfa == CFI_CFA_RBP)
		return row->offset == 16 && rbp_words == 2 ? RULE_BY_RBP | 2u << RULE_RBP_SHIFT : 0;
	if (row->cfa != CFI_CFA_RSP || words < 1 || words > FRAME_WORDS_MAX ||
	    (row->rbp.how == CFI_SAVED_BY_CFA &&
	     (rbp_words < 2 || rbp_words > words || rbp_words > 31)))
		return 0;
	return (unsigned int)words | (unsigned int)rbp_words << RULE_RBP_SHIFT;
}

/* How to leave the frame of the function that holds `address`, a return address; 0: unknown. */
static unsigned int object_rule(const struct object *object, uint64_t address)
{
	struct object_span whole = object_span(object);
	struct cfi_span span = { whole.low, whole.high, whole.has_holes, NULL };
	struct cfi_row row;

	return cfi_find_row(span, (uintptr_t)object->header, address - 1, &row) ? caller_rule(&row)
										: 0;
}

static unsigned int rule_work_out(uint64_t address)
{
	struct object object;
	struct object_span span;

	if (!object_of(address, &object))
		return 0;
	span = object_span(&object);
	if (!wrappers_contain(object.map, span.low, span.high, address - 1))
		return 0;
	return object_rule(&object, address);
}

/* Into an empty word of its line, or else over its home. */
static void rule_keep(uint64_t *line, uint64_t *home, uint64_t word)
{
	uint64_t *at = home;

	for (unsigned int i = 0; i < CALLER_LINE && __atomic_load_n(at, __ATOMIC_RELAXED); i++)
		at = &line[(unsigned int)(home - line + i) % CALLER_LINE];
	if (__atomic_load_n(at, __ATOMIC_RELAXED))
		at = home;
	__atomic_store_n(at, word, __ATOMIC_RELAXED);
}

/* Not where it belongs: elsewhere in its line, or not known yet. */
static __attribute__((noinline)) unsigned int rule_search(uint64_t address)
{
	uint64_t *home = caller_home(address);
	uint64_t *line = caller_cache + ((home - caller_cache) & ~(ptrdiff_t)(CALLER_LINE - 1));
	unsigned int rule;

	for (unsigned int i = 0; i < CALLER_LINE; i++) {
		uint64_t word = __atomic_load_n(&line[i], __ATOMIC_RELAXED);

		if ((word & ADDRESS_MASK) == address)
			return (unsigned int)(word >> CALLER_ADDRESS_BITS);
	}
	rule = rule_work_out(address);
	rule_keep(line, home, address | (uint64_t)rule << CALLER_ADDRESS_BITS);
	return rule;
}

/* 0: no wrapper. `word` is what the address has at home. */
static inline unsigned int rule_of(uint64_t address, uint64_t word)
{
	if (__builtin_expect((word & ADDRESS_MASK) == address, 1))
		return (unsigned int)(word >> CALLER_ADDRESS_BITS);
	return rule_search(address);
}

struct place {
	uintptr_t slot; /* of a return address */
	uintptr_t rbp;  /* as the function returned to has it */
};

/* One frame up; false where that leaves the frames we know, or the page and `page_only` is set. */
static inline __attribute__((always_inline)) bool place_climb(struct place *place,
							      unsigned int rule, bool page_only)
{
	uintptr_t words = rule & ((1u << RULE_WORDS_BITS) - 1);
	uintptr_t rbp_words = rule >> RULE_RBP_SHIFT;
	uintptr_t next = rule & RULE_BY_RBP ? place->rbp + 8 : place->slot + words * 8;

	if (next % 8 || next - place->slot - 8 > (FRAME_WORDS_MAX - 1) * 8 ||
	    8 * rbp_words > next - place->slot)
		return false;
	if (page_only && (next ^ place->slot) >> PAGE_BITS)
		return false;
	if (rbp_words)
		place->rbp = *(const uintptr_t *)(next + 8 - 8 * rbp_words);
	place->slot = next;
	return true;
}

static inline uint64_t place_address(const struct place *place)
{
	return *(const uintptr_t *)place->slot;
}

static bool address_is_plausible(uint64_t address)
{
	return address && address <= ADDRESS_MASK;
}

/* Out of the page: frames are worked out again, from the one that is certain. */
static __attribute__((noinline)) uint64_t caller_skip_afresh(void *const *frame)
{
	struct place place = { (uintptr_t)(frame + 1), (uintptr_t)frame[0] };
	uint64_t address = place_address(&place);
	struct object object;

	for (unsigned int level = 0;
	     level < CALLER_LEVELS && rule_of(address, caller_word(address)); level++) {
		unsigned int rule = object_of(address, &object) ? object_rule(&object, address) : 0;

		if (!rule || !place_climb(&place, rule, false) ||
		    !address_is_plausible(place_address(&place)))
			break;
		address = place_address(&place);
	}
	return address;
}

/* INTERCEPT_STACKS is not `caller`. */
static uint64_t caller_by_stack(struct recorder_lane *lane, void *const *frame, uint64_t bytes)
{
	if (stack_is_off(EVT_FAMILY_alloc))
		return 0;
	if (!stack_is_due(bytes))
		return stack_plain_caller(frame);
	recorder_switch(lane, RECORDER_IN_RECORD);
	return stack_here(lane, frame);
}

static __attribute__((noinline)) uint64_t caller_skip_wrappers(void *const *frame, uint64_t word)
{
	struct place place = { (uintptr_t)(frame + 1), (uintptr_t)frame[0] };
	uint64_t address = place_address(&place);

	if (!address_is_plausible(address))
		return address;
	for (unsigned int level = 0; level < CALLER_LEVELS; level++) {
		unsigned int rule = rule_of(address, word);

		if (!rule)
			break;
		if (!place_climb(&place, rule, true))
			return caller_skip_afresh(frame);
		if (!address_is_plausible(place_address(&place)))
			break;
		address = place_address(&place);
		word = caller_word(address);
		if (word == address)
			break;
	}
	return address;
}

uint64_t caller_skip(struct recorder_lane *lane, void *const *frame, uint64_t word, uint64_t bytes)
{
	if ((stack_families | stack_without) >> EVT_FAMILY_alloc & 1)
		return caller_by_stack(lane, frame, bytes);
	return caller_skip_wrappers(frame, word);
}

void caller_forget(void)
{
	for (unsigned int i = 0; i < CALLER_WORDS; i++)
		__atomic_store_n(&caller_cache[i], 0, __ATOMIC_RELAXED);
}
