/* SPDX-License-Identifier: MIT */
/* See caller.h. */
#include "preload/heap/caller.h"

#include <stdbool.h>
#include <stddef.h>

#include "preload/heap/cfi.h"
#include "preload/base/object.h"
#include "preload/heap/wrappers.h"

#define ADDRESS_MASK ((1ull << CALLER_ADDRESS_BITS) - 1)
#define PAGE_BITS 12u

/* The upper bits of a word of the cache. */
#define RULE_WORDS_BITS 7u
#define RULE_BY_RBP (1u << 7)
#define RULE_RBP_SHIFT 8u

uint64_t caller_cache[CALLER_WORDS] __attribute__((aligned(64)));

_Static_assert(CALLER_WORDS == 1u << (64 - 52), "caller_home() takes the upper bits");
_Static_assert(CFI_WORDS_MAX < 1u << RULE_WORDS_BITS, "distances fit");

/* How to leave the frame of the function that holds `address`, a return address; 0: unknown. */
static unsigned int object_rule(const struct object *object, uint64_t address)
{
	struct cfi_span span = { (uintptr_t)object->start, (uintptr_t)object->end };
	struct cfi_rule rule;

	if (!cfi_find_rule(span, (uintptr_t)object->header, address - 1, &rule))
		return 0;
	return rule.words | (rule.by_rbp ? RULE_BY_RBP : 0) |
	       (unsigned int)rule.rbp_words << RULE_RBP_SHIFT;
}

static unsigned int rule_work_out(uint64_t address)
{
	struct object object;

	if (!object_of(address, &object) || !wrappers_contain(object.map, (uintptr_t)object.start,
							      (uintptr_t)object.end, address - 1))
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

	if (next % 8 || next - place->slot - 8 > (CFI_WORDS_MAX - 1) * 8 ||
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

uint64_t caller_skip(void *const *frame, uint64_t word)
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

void caller_forget(void)
{
	for (unsigned int i = 0; i < CALLER_WORDS; i++)
		__atomic_store_n(&caller_cache[i], 0, __ATOMIC_RELAXED);
}
