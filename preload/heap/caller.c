/* SPDX-License-Identifier: MIT */
/*
 * Pages and rules are each a set-associative cache. A hit elsewhere in the line changes places with
 * the entry at its home, about every eighth time. A miss is computed from symbols and .eh_frame and
 * then kept.
 */
#include "preload/heap/caller.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "collector/arch/arch.h"
#include "collector/cfi/cfi.h"
#include "preload/base/object_span.h"
#include "preload/stacks/stack.h"
#include "preload/stacks/unload.h"
#include "preload/stacks/wrappers.h"

#define ADDRESS_MASK ((1ull << CALLER_ADDRESS_BITS) - 1)
#define PAGE_BITS CALLER_PAGE_BITS
#define FRAME_WORDS_MAX 64u /* limit for a wrapper's frame; larger ones are refused */

/* The rule is in the upper bits of a word of the cache. */
#define RULE_WORDS_BITS 7u
#define RULE_BY_RBP (1u << 7)
#define RULE_RBP_SHIFT 8u

struct caller_known caller_known __attribute__((aligned(4096)));

_Static_assert(CALLER_PAGES == 1u << (64 - 54), "caller_page_home() takes the upper bits");
_Static_assert(CALLER_RULES == 1u << (64 - 56), "caller_rule_home() takes the upper bits");
_Static_assert(FRAME_WORDS_MAX < 1u << RULE_WORDS_BITS, "distances fit");

/*
 * Rules exist for frames of small functions: by rsp, or a standard frame by rbp. 0: any other
 * frame.
 */
unsigned int caller_rule(const struct cfi_row *row)
{
	uint64_t words = (uint64_t)row->offset / 8;
	uint64_t rbp_words = row->rbp.how == CFI_SAVED_BY_CFA ? (uint64_t)-row->rbp.offset / 8 : 0;

	if (row->signal || row->ret.how != CFI_SAVED_BY_CFA ||
	    row->ret.offset != -(int64_t)arch_return_below(rbp_words) || row->offset % 8 ||
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

/* Returns how to leave the frame of the function at the return address `address`; 0: unknown. */
static unsigned int object_rule(const struct object *object, uint64_t address)
{
	struct object_span whole = object_span(object);
	struct cfi_span span = { whole.low, whole.high, whole.has_holes, NULL };
	struct cfi_row row;

	return cfi_find_row(span, (uintptr_t)object->header, address - 1, &row) ? caller_rule(&row)
										: 0;
}

static unsigned int caller_rule_work_out(uint64_t address)
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

static _Atomic uint32_t turn; /* the place of a full line that is replaced next */

/*
 * True about every eighth time. If two pages with the same home are used by turns, each call would
 * otherwise write their cache line and take it away from other threads.
 */
static bool may_move(void)
{
	return recorder_self.lane[0].head / 2 % 8 == 0;
}

static unsigned int turn_next(void)
{
	return atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
}

/*
 * For pages, and below for addresses: an entry moves to its home, and the entry there takes its
 * place.
 */
#define PAGE_LINE (CALLER_LINE_BYTES / sizeof(uint32_t))
#define RULE_LINE (CALLER_LINE_BYTES / sizeof(uint64_t))

/*
 * Takes an empty place, or else replaces each place in turn. An entry that is replaced but still
 * used returns with its next call.
 */
#define DEFINE_LINE(noun, type, base, LINE)                                                 \
	static type *noun##_find(type *home, type wanted, type mask)                        \
	{                                                                                   \
		type *line = (base) + ((home - (base)) & ~(ptrdiff_t)((LINE)-1));           \
                                                                                            \
		for (unsigned int i = 0; i < (LINE); i++)                                   \
			if ((__atomic_load_n(&line[i], __ATOMIC_RELAXED) & mask) == wanted) \
				return &line[i];                                            \
		return NULL;                                                                \
	}                                                                                   \
                                                                                            \
	static void noun##_come_home(type *home, type *other, type entry)                   \
	{                                                                                   \
		__atomic_store_n(other, __atomic_load_n(home, __ATOMIC_RELAXED),            \
				 __ATOMIC_RELAXED);                                         \
		__atomic_store_n(home, entry, __ATOMIC_RELAXED);                            \
	}                                                                                   \
                                                                                            \
	static void noun##_keep(type *home, type entry)                                     \
	{                                                                                   \
		type *spare = __atomic_load_n(home, __ATOMIC_RELAXED)                       \
				      ? noun##_find(home, 0, (type) ~(type)0)               \
				      : home;                                               \
                                                                                            \
		if (!spare)                                                                 \
			spare = (base) + (((home - (base)) & ~(ptrdiff_t)((LINE)-1)) |      \
					  (ptrdiff_t)(turn_next() % (LINE)));               \
		noun##_come_home(home, spare, entry);                                       \
	}

DEFINE_LINE(page, uint32_t, caller_known.page, PAGE_LINE)
DEFINE_LINE(rule, uint64_t, caller_known.rule, RULE_LINE)
#undef DEFINE_LINE

/* --- filling the cache --- */

/* Objects without any wrapper, as most are: their pages need no look at symbols. */
#define PLAIN_OBJECTS 64u
static const struct link_map *plain_objects[PLAIN_OBJECTS];

static bool object_is_plain(const struct object *object, const struct object_span *span)
{
	const struct link_map **known =
		&plain_objects[((uintptr_t)object->map >> 4 ^ (uintptr_t)object->map >> 10) %
			       PLAIN_OBJECTS];

	if (__atomic_load_n(known, __ATOMIC_RELAXED) == object->map)
		return true;
	if (wrappers_meet(object->map, span->low, span->high, span->low, span->high - span->low))
		return false;
	__atomic_store_n(known, object->map, __ATOMIC_RELAXED);
	return true;
}

/*
 * True if the page has a wrapper. The byte before a return address decides, which may be the last
 * byte of the previous page.
 */
static bool page_work_out(uint64_t start)
{
	struct object object;
	struct object_span span;

	if (!object_of(start, &object) && !object_of(start + (1u << PAGE_BITS) - 1, &object))
		return true; /* no object is here now, but one may be loaded later */
	span = object_span(&object);
	return !object_is_plain(&object, &span) &&
	       wrappers_meet(object.map, span.low, span.high, start - 1, 1u << PAGE_BITS);
}

/*
 * True if the page has a wrapper, so that its addresses must be looked up one by one. Called if the
 * page is not known as plain at its home.
 */
static __attribute__((noinline)) bool page_is_mixed(uint64_t address)
{
	uint64_t mix = caller_page_mix(address);
	uint32_t code = caller_page_code(mix);
	uint32_t *home = caller_page_home(mix), *at = page_find(home, code, ~CALLER_PLAIN);
	uint32_t entry;

	if (at) {
		entry = __atomic_load_n(at, __ATOMIC_RELAXED);
		if (at != home && may_move())
			page_come_home(home, at, entry);
	} else {
		unload_watch(caller_forget);
		entry = code;
		if (!page_work_out(address >> PAGE_BITS << PAGE_BITS))
			entry |= CALLER_PLAIN;
		page_keep(home, entry);
	}
	return !(entry & CALLER_PLAIN);
}

static __attribute__((noinline)) unsigned int rule_search(uint64_t address)
{
	uint64_t *home = caller_rule_home(address), *at = rule_find(home, address, ADDRESS_MASK);
	uint64_t entry;

	if (at) {
		entry = __atomic_load_n(at, __ATOMIC_RELAXED);
		if (at != home && may_move())
			rule_come_home(home, at, entry);
	} else {
		entry = address | (uint64_t)caller_rule_work_out(address) << CALLER_ADDRESS_BITS;
		rule_keep(home, entry);
	}
	return (unsigned int)(entry >> CALLER_ADDRESS_BITS);
}

/* 0: no wrapper. */
static unsigned int rule_of(uint64_t address)
{
	return page_is_mixed(address) ? rule_search(address) : 0;
}

struct place {
	uint64_t address; /* the return address */
	uintptr_t sp;     /* stack pointer after the return */
	uintptr_t rbp;    /* value of rbp after the return */
};

static struct place place_of_frame(void *const *frame)
{
	return (struct place){ (uintptr_t)frame[1], arch_frame_cfa(frame), (uintptr_t)frame[0] };
}

/*
 * Goes one frame up. Returns false if the frame cannot be left by a known rule, or if `page_only`
 * is set and the step leaves the page.
 */
static inline __attribute__((always_inline)) bool place_climb(struct place *place,
							      unsigned int rule, bool page_only)
{
	uintptr_t words = rule & ((1u << RULE_WORDS_BITS) - 1);
	uintptr_t rbp_words = rule >> RULE_RBP_SHIFT;
	uintptr_t cfa = rule & RULE_BY_RBP ? place->rbp + 16 : place->sp + words * 8;
	uintptr_t below = arch_return_below(rbp_words);

	if (cfa % 8 || cfa - place->sp - 8 > (FRAME_WORDS_MAX - 1) * 8 ||
	    8 * rbp_words > cfa - place->sp || below > cfa - place->sp)
		return false;
	if (page_only && ((cfa - 8) ^ (place->sp - 8)) >> PAGE_BITS)
		return false;
	if (rbp_words)
		place->rbp = *(const uintptr_t *)(cfa - 8 * rbp_words);
	place->address = arch_return_address(*(const uintptr_t *)(cfa - below));
	place->sp = cfa;
	return true;
}

static bool address_is_plausible(uint64_t address)
{
	return address && address <= ADDRESS_MASK;
}

/*
 * The walk has left the page, so all frames are computed again, beginning with the one that is
 * certain.
 */
static __attribute__((noinline)) uint64_t caller_skip_afresh(void *const *frame)
{
	struct place place = place_of_frame(frame);
	uint64_t address = place.address;
	struct object object;

	for (unsigned int level = 0; level < CALLER_LEVELS && rule_of(address); level++) {
		unsigned int rule = object_of(address, &object) ? object_rule(&object, address) : 0;

		if (!rule || !place_climb(&place, rule, false) ||
		    !address_is_plausible(place.address))
			break;
		address = place.address;
	}
	return address;
}

/* For every value of INTERCEPT_STACKS except `caller`. */
static uint64_t caller_by_stack(struct recorder_lane *lane, void *const *frame, uint64_t bytes)
{
	if (stack_is_off(EVT_FAMILY_alloc))
		return 0;
	if (!stack_is_due(bytes))
		return stack_plain_caller(frame);
	recorder_switch(lane, RECORDER_IN_RECORD);
	return stack_here(lane, frame);
}

static __attribute__((noinline)) uint64_t caller_skip_wrappers(void *const *frame)
{
	struct place place = place_of_frame(frame);
	uint64_t address = place.address;

	if (!address_is_plausible(address))
		return address;
	for (unsigned int level = 0; level < CALLER_LEVELS; level++) {
		unsigned int rule = rule_of(address);

		if (!rule)
			break;
		if (!place_climb(&place, rule, true))
			return caller_skip_afresh(frame);
		if (!address_is_plausible(place.address))
			break;
		address = place.address;
	}
	return address;
}

/*
 * Looks only at the home places: the address itself is known, or leaves wrappers by rsp, as
 * operator new does, which makes half of all calls in many programs. Returns 0 if that is not
 * known.
 */
static inline uint64_t caller_known_of(void *const *frame)
{
	uint64_t address = (uintptr_t)frame[1];
	uintptr_t sp = arch_frame_cfa(frame);

	for (unsigned int level = 0; level < CALLER_LEVELS; level++) {
		uint64_t entry = __atomic_load_n(caller_rule_home(address), __ATOMIC_RELAXED);
		unsigned int rule = (unsigned int)(entry >> CALLER_ADDRESS_BITS);
		uintptr_t cfa = sp + 8 * (rule & ((1u << RULE_WORDS_BITS) - 1));

		if ((entry & ADDRESS_MASK) != address || (rule & RULE_BY_RBP) ||
		    ((cfa - 8) ^ (sp - 8)) >> PAGE_BITS)
			return 0;
		if (!rule)
			return address;
		address = arch_return_address(
			*(const uintptr_t *)(cfa - arch_return_below(rule >> RULE_RBP_SHIFT)));
		sp = cfa;
		if (address <= ADDRESS_MASK && caller_is_plain(address))
			return address;
	}
	return 0;
}

uint64_t caller_skip(struct recorder_lane *lane, void *const *frame, uint64_t bytes)
{
	uint64_t caller = caller_known_of(frame); /* with stacks, no address is ever known */

	if (__builtin_expect(caller != 0, 1))
		return caller;
	if ((stack_families | stack_without) >> EVT_FAMILY_alloc & 1)
		return caller_by_stack(lane, frame, bytes);
	return caller_skip_wrappers(frame);
}

uint64_t caller_alone(void *const *frame)
{
	return stack_families >> EVT_FAMILY_alloc & 1 ? stack_plain_caller(frame)
						      : caller_skip_wrappers(frame);
}

uint64_t caller_of_large(struct recorder_lane *lane, void *const *frame, uint64_t bytes)
{
	uint64_t address = (uintptr_t)frame[1];

	if (!caller_is_plain(address))
		address = caller_skip(lane, frame, bytes);
	return large_caller(lane, address);
}

void caller_forget(void)
{
	for (unsigned int i = 0; i < CALLER_PAGES; i++)
		__atomic_store_n(&caller_known.page[i], 0, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < CALLER_RULES; i++)
		__atomic_store_n(&caller_known.rule[i], 0, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < PLAIN_OBJECTS; i++)
		__atomic_store_n(&plain_objects[i], NULL, __ATOMIC_RELAXED);
}
