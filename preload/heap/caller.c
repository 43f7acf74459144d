/* SPDX-License-Identifier: MIT */
/* See caller.h. */
#include "preload/heap/caller.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "preload/base/object_span.h"
#include "preload/stacks/cfi.h"
#include "preload/stacks/stack.h"
#include "preload/stacks/unload.h"
#include "preload/stacks/wrappers.h"

#define ADDRESS_MASK ((1ull << CALLER_ADDRESS_BITS) - 1)
#define RULE_MASK ((1u << (63 - CALLER_ADDRESS_BITS)) - 1)
#define PAGE_BITS CALLER_PAGE_BITS
#define FRAME_WORDS_MAX 64u /* of a wrapper: more are refused */

/* The upper bits of a word of the cache. */
#define RULE_WORDS_BITS 7u
#define RULE_BY_RBP (1u << 7)
#define RULE_RBP_SHIFT 8u

#define USUAL_WRAPPERS 64u

uint64_t caller_cache[CALLER_WORDS] __attribute__((aligned(64)));

/*
 * The wrappers that are mostly called: operator new has half of all calls of many a program. A word is the address and
 * the rule, of frames by rsp only, as in the cache; a page that has one is mixed there.
 */
static uint64_t usual_wrappers[USUAL_WRAPPERS] __attribute__((aligned(64)));

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
	struct cfi_span span = { whole.low, whole.high, whole.has_holes };
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

/* --- the cache --- */

static _Atomic uint32_t turn; /* which place of a full line is next to be given up */

static uint64_t *line_of(uint64_t *home)
{
	return caller_cache + ((home - caller_cache) & ~(ptrdiff_t)(CALLER_LINE - 1));
}

/* The word of a page or an address: `key`, which `mask` takes out of it; 0: not known. */
static uint64_t *word_find(uint64_t *home, uint64_t key, uint64_t mask)
{
	uint64_t *line = line_of(home);

	for (unsigned int i = 0; i < CALLER_LINE; i++)
		if ((__atomic_load_n(&line[i], __ATOMIC_RELAXED) & mask) == key)
			return &line[i];
	return NULL;
}

/* An empty place, or else each in its turn: what is given up and still used comes back by its next call. */
static uint64_t *word_spare(uint64_t *home)
{
	uint64_t *line = line_of(home);
	uint64_t *spare = word_find(home, 0, ~0ull);

	if (spare)
		return spare;
	spare = &line[atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed) % CALLER_LINE];
	return spare == home ? &line[(spare - line + 1) % CALLER_LINE] : spare;
}

/*
 * Once in about eight looks: two pages of one home that are called from by turns would otherwise write their line at
 * each call, and take it away from other threads.
 */
static bool word_may_move(void)
{
	return recorder_self.lane[0].head / 2 % 8 == 0;
}

/* Who is at home takes the other place. */
static void word_come_home(uint64_t *home, uint64_t *other, uint64_t word)
{
	__atomic_store_n(other, __atomic_load_n(home, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
	__atomic_store_n(home, word, __ATOMIC_RELAXED);
}

static void word_keep(uint64_t *home, uint64_t word)
{
	if (__atomic_load_n(home, __ATOMIC_RELAXED))
		word_come_home(home, word_spare(home), word);
	else
		__atomic_store_n(home, word, __ATOMIC_RELAXED);
}

/* --- what is in it --- */

/* Whether it has a wrapper. By the byte before a return address, which may be the last one of the page before. */
static bool page_work_out(uint64_t page)
{
	uint64_t start = page << PAGE_BITS;
	struct object object;
	struct object_span span;

	if (!object_of(start, &object) && !object_of(start + (1u << PAGE_BITS) - 1, &object))
		return true; /* nobody's now: an object may come to lie there */
	span = object_span(&object);
	return wrappers_meet(object.map, span.low, span.high, start - 1, 1u << PAGE_BITS);
}

static __attribute__((noinline)) bool page_search(uint64_t page)
{
	uint64_t *home = caller_home(page);
	uint64_t *at = word_find(home, page, ~CALLER_MIXED);
	uint64_t word;

	if (at) {
		word = __atomic_load_n(at, __ATOMIC_RELAXED);
		if (at != home && word_may_move())
			word_come_home(home, at, word);
	} else {
		unload_watch(caller_forget);
		word = page | (page_work_out(page) ? CALLER_MIXED : 0);
		word_keep(home, word);
	}
	return word != page;
}

/* Not known to have no wrapper. */
static bool page_is_mixed(uint64_t address)
{
	uint64_t page = address >> PAGE_BITS;
	uint64_t word = __atomic_load_n(caller_home(page), __ATOMIC_RELAXED);

	if (word == page)
		return false;
	return word == (page | CALLER_MIXED) || page_search(page);
}

static __attribute__((noinline)) unsigned int rule_search(uint64_t address)
{
	uint64_t key = address | CALLER_ADDRESS;
	uint64_t *home = caller_home(address);
	uint64_t *at = word_find(home, key, CALLER_ADDRESS | ADDRESS_MASK);
	uint64_t word;

	if (at) {
		word = __atomic_load_n(at, __ATOMIC_RELAXED);
		if (at != home && word_may_move())
			word_come_home(home, at, word);
	} else {
		word = key | (uint64_t)rule_work_out(address) << CALLER_ADDRESS_BITS;
		word_keep(home, word);
	}
	return (unsigned int)(word >> CALLER_ADDRESS_BITS) & RULE_MASK;
}

/* 0: no wrapper. */
static inline unsigned int rule_of(uint64_t address)
{
	uint64_t word;

	if (!page_is_mixed(address))
		return 0;
	word = __atomic_load_n(caller_home(address), __ATOMIC_RELAXED);
	if (__builtin_expect((word & (CALLER_ADDRESS | ADDRESS_MASK)) == (address | CALLER_ADDRESS),
			     1))
		return (unsigned int)(word >> CALLER_ADDRESS_BITS) & RULE_MASK;
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

	for (unsigned int level = 0; level < CALLER_LEVELS && rule_of(address); level++) {
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

static inline uint64_t *usual_home(uint64_t address)
{
	return &usual_wrappers[address * 0x9e3779b97f4a7c15u >> 58];
}

static void usual_keep(uint64_t address, unsigned int rule)
{
	uint64_t *home = usual_home(address);

	if (!(rule & RULE_BY_RBP) && (!__atomic_load_n(home, __ATOMIC_RELAXED) || word_may_move()))
		__atomic_store_n(home, address | (uint64_t)rule << CALLER_ADDRESS_BITS,
				 __ATOMIC_RELAXED);
}

static __attribute__((noinline)) uint64_t caller_skip_wrappers(void *const *frame)
{
	struct place place = { (uintptr_t)(frame + 1), (uintptr_t)frame[0] };
	uint64_t address = place_address(&place);

	if (!address_is_plausible(address))
		return address;
	for (unsigned int level = 0; level < CALLER_LEVELS; level++) {
		unsigned int rule = rule_of(address);

		if (!rule)
			break;
		usual_keep(address, rule);
		if (!place_climb(&place, rule, true))
			return caller_skip_afresh(frame);
		if (!address_is_plausible(place_address(&place)))
			break;
		address = place_address(&place);
	}
	return address;
}

/* Out of usual wrappers that were called from where no other is; 0: no such call. */
static inline uint64_t caller_behind_usual(void *const *frame)
{
	void *const *slot = frame + 1;

	for (unsigned int level = 0; level < CALLER_LEVELS; level++) {
		uint64_t address = (uintptr_t)*slot;
		uint64_t word = __atomic_load_n(usual_home(address), __ATOMIC_RELAXED);
		void *const *next = slot +
				    (word >> CALLER_ADDRESS_BITS & ((1u << RULE_WORDS_BITS) - 1));

		if (!address || (word & ADDRESS_MASK) != address ||
		    ((uintptr_t)next ^ (uintptr_t)slot) >> PAGE_BITS)
			return 0;
		if (caller_is_plain((uintptr_t)*next))
			return (uintptr_t)*next;
		slot = next;
	}
	return 0;
}

uint64_t caller_skip(struct recorder_lane *lane, void *const *frame, uint64_t bytes)
{
	uint64_t outer = caller_behind_usual(frame); /* where there are stacks none is usual */

	if (__builtin_expect(outer != 0, 1))
		return outer;
	if ((stack_families | stack_without) >> EVT_FAMILY_alloc & 1)
		return caller_by_stack(lane, frame, bytes);
	return caller_skip_wrappers(frame);
}

void caller_forget(void)
{
	for (unsigned int i = 0; i < CALLER_WORDS; i++)
		__atomic_store_n(&caller_cache[i], 0, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < USUAL_WRAPPERS; i++)
		__atomic_store_n(&usual_wrappers[i], 0, __ATOMIC_RELAXED);
}
