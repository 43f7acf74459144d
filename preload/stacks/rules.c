/* SPDX-License-Identifier: MIT */
/*
 * A small hot table of four ways and a large one with lines of a cache line. A rule that is in
 * neither is read from .eh_frame and packed. dlclose() raises the epoch before and after it, which
 * makes older entries stale.
 */
#include "preload/stacks/rules.h"

#include <stdatomic.h>
#include <stddef.h>

#include "collector/arch/arch.h"
#include "preload/base/object_span.h"
#include "preload/stacks/memory.h"
#include "preload/stacks/pages.h"
#include "preload/stacks/wrappers.h"

#define MARK_ODD 0xd6e8feb86659fd93u
#define ADDRESS_MASK ((1ull << ARCH_ADDRESS_BITS) - 1)
#define HOT_ENTRIES (1ull << RULES_HOT_BITS)

struct rules rules;
static uintptr_t rules_outermost;
static _Atomic uint32_t unloading; /* number of threads within dlclose() */

bool rules_begin(uint64_t entries, uintptr_t outermost)
{
	rules_outermost = outermost;
	if (!rules.hot)
		rules.hot = pages_map(HOT_ENTRIES * sizeof(*rules.hot));
	if (rules.entry || !rules.hot)
		return rules.entry && rules.hot;
	rules.entry = pages_map_huge(entries * sizeof(*rules.entry));
	if (!rules.entry)
		return false;
	rules.mask = entries - 1;
	return true;
}

bool cfi_page_is_readable(void *context, uintptr_t page)
{
	(void)context;
	return memory_page_is_readable(page);
}

/* --- epochs --- */

/*
 * All epoch numbers have been used. Entries from their first use must not match the numbers that
 * follow.
 */
static void hot_begins_anew(void)
{
	for (uint64_t i = 0; rules.hot && i < HOT_ENTRIES; i++)
		__atomic_store_n(&rules.hot[i], 0, __ATOMIC_RELAXED);
}

static void entries_begin_anew(void)
{
	for (uint64_t i = 0; rules.entry && i <= rules.mask; i++)
		__atomic_store_n(&rules.entry[i].word, 0, __ATOMIC_RELAXED);
}

static void epoch_next(void)
{
	uint64_t one = 1ull << RULES_EPOCH_SHIFT;
	uint64_t next = __atomic_add_fetch(&rules.epoch, one, __ATOMIC_SEQ_CST);

	/* entries go after that: a thread that has not seen it removes its own (hot_put()) */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if ((next >> RULES_EPOCH_SHIFT) % RULES_HOT_EPOCHS == 0)
		hot_begins_anew();
	if ((next >> RULES_EPOCH_SHIFT) % RULES_EPOCHS == 0)
		entries_begin_anew();
}

void rules_unloading_begins(void)
{
	atomic_fetch_add(&unloading, 1);
	epoch_next();
}

void rules_unloading_ends(void)
{
	epoch_next();
	atomic_fetch_sub(&unloading, 1);
}

/* --- packing --- */

static bool offset_fits(int64_t offset, unsigned int bits)
{
	return offset >= -(1ll << (bits - 1)) && offset < 1ll << (bits - 1);
}

/*
 * Accepts the registers of the interrupted code only where the kernel and glibc put them; any other
 * place is refused.
 */
static uint64_t pack_signal(const struct cfi_row *row)
{
	bool usual = row->cfa == CFI_CFA_RSP_LOAD && row->offset == ARCH_SIGNAL_SP && !row->after &&
		     row->ret.how == CFI_SAVED_BY_RSP && row->ret.offset == ARCH_SIGNAL_PC &&
		     row->rbp.how == CFI_SAVED_BY_RSP && row->rbp.offset == ARCH_SIGNAL_FP;

	return rule_of_kind(usual ? RULE_SIGNAL : RULE_UNKNOWN);
}

/* See RULE_IS_USUAL. 0: the rule is not usual. */
static uint64_t pack_usual(const struct cfi_row *row)
{
	int64_t saved = row->rbp.how == CFI_SAVED_SAME ? 0 : -row->rbp.offset / 8 - 1;

	if ((row->cfa != CFI_CFA_RSP && row->cfa != CFI_CFA_RBP) || row->offset % 8 ||
	    row->offset < 0 || row->offset / 8 > USUAL_OFFSET_MAX)
		return 0;
	if (row->rbp.how != CFI_SAVED_SAME &&
	    (row->rbp.how != CFI_SAVED_BY_CFA || saved < 1 || saved > USUAL_SAVED_MAX))
		return 0;
	return RULE_IS_USUAL | (row->cfa == CFI_CFA_RBP ? USUAL_BY_RBP : 0) | (uint64_t)saved << 3 |
	       (uint64_t)(row->offset / 8) << USUAL_OFFSET_SHIFT;
}

static uint64_t pack(enum rule_kind kind, int64_t offset, int64_t after, enum rule_rbp rbp,
		     int64_t saved)
{
	return rule_of_kind(kind) | (uint64_t)rbp << RULE_RBP_SHIFT |
	       (uint64_t)(after / 8) << RULE_AFTER_SHIFT | (uint64_t)offset << RULE_OFFSET_SHIFT |
	       ((uint64_t)(saved / 8) & ((1ull << RULE_SAVED_BITS) - 1)) << RULE_SAVED_SHIFT;
}

uint64_t rule_in_full(uint64_t rule)
{
	enum rule_kind kind = rule & USUAL_BY_RBP ? RULE_RBP : RULE_RSP;
	uint64_t saved = rule & USUAL_SAVED_MASK;

	if (!(rule & RULE_IS_USUAL))
		return rule;
	return pack(kind, (int64_t)usual_offset(rule), 0, saved ? RULE_RBP_BY_CFA : RULE_RBP_SAME,
		    saved            ? -(int64_t)saved - 8
		    : ARCH_HAS_PAIRS ? -16
				     : 0) |
	       (rule & RULE_IS_WRAPPER);
}

/*
 * `ret_saved` receives the offset from the CFA that rule_rbp_offset() is to return. False: the
 * return address is not where a rule expects it. That is just below the CFA, or, with
 * ARCH_HAS_PAIRS, in a pair with rbp. Then the offset is that of the pair, even if rbp itself is
 * not saved in it.
 */
static bool saved_place(const struct cfi_row *row, int64_t *ret_saved)
{
	int64_t saved = row->rbp.how == CFI_SAVED_SAME ? 0 : row->rbp.offset;

	if (!ARCH_HAS_PAIRS) {
		*ret_saved = saved;
		return row->ret.offset == -8;
	}
	*ret_saved = row->ret.offset - 8;
	return row->rbp.how == CFI_SAVED_SAME ||
	       (row->rbp.how == CFI_SAVED_BY_CFA && saved == *ret_saved);
}

uint64_t rule_pack(const struct cfi_row *row)
{
	static const uint8_t kinds[] = { [CFI_CFA_RSP] = RULE_RSP,
					 [CFI_CFA_RBP] = RULE_RBP,
					 [CFI_CFA_RSP_LOAD] = RULE_RSP_LOAD,
					 [CFI_CFA_RBP_LOAD] = RULE_RBP_LOAD };
	static const uint8_t saved[] = { [CFI_SAVED_SAME] = RULE_RBP_SAME,
					 [CFI_SAVED_BY_CFA] = RULE_RBP_BY_CFA,
					 [CFI_SAVED_BY_RSP] = RULE_RBP_BY_RSP,
					 [CFI_SAVED_BY_RBP] = RULE_RBP_BY_RBP };
	uint64_t usual;
	int64_t rbp;

	if (row->ret.how == CFI_SAVED_LOST)
		return rule_of_kind(RULE_END);
	if (row->signal)
		return pack_signal(row);
	if (row->rbp.how == CFI_SAVED_LOST || row->ret.how != CFI_SAVED_BY_CFA ||
	    !saved_place(row, &rbp))
		return rule_of_kind(RULE_UNKNOWN);
	if (!offset_fits(row->offset, RULE_OFFSET_BITS) || rbp % 8 ||
	    !offset_fits(rbp / 8, RULE_SAVED_BITS) || row->after < 0 || row->after % 8 ||
	    row->after / 8 > RULE_AFTER_MAX)
		return rule_of_kind(RULE_UNKNOWN);
	usual = row->ret.offset == -8 ? pack_usual(row) : 0;
	if (usual)
		return usual;
	return pack((enum rule_kind)kinds[row->cfa], row->offset, row->after,
		    (enum rule_rbp)saved[row->rbp.how], rbp);
}

/* --- computing a rule --- */

static uint64_t rules_rule_work_out(uint64_t address, bool exact)
{
	uint64_t within = exact ? address : address - 1;
	uint64_t rule = rule_of_kind(RULE_UNKNOWN);
	struct object_span whole;
	struct object object;
	struct cfi_span span;
	struct cfi_row row;

	if (!exact && address == rules_outermost)
		return rule_of_kind(RULE_END);
	if (ARCH_HAS_BARE_SIGNAL_RETURN && !exact && memory_page_is_readable(address) &&
	    arch_is_signal_return((const void *)(uintptr_t)address))
		return rule_of_kind(RULE_SIGNAL);
	if (!object_of(within, &object))
		return rule_of_kind(RULE_NONE);
	whole = object_span(&object);
	span = (struct cfi_span){ whole.low, whole.high, true, NULL };
	if (cfi_find_row(span, (uintptr_t)object.header, within, &row))
		rule = exact ? rule_in_full(rule_pack(&row)) : rule_pack(&row);
	if (wrappers_contain(object.map, span.low, span.high, within))
		rule |= RULE_IS_WRAPPER;
	return rule;
}

static bool entry_is_of(const struct rule_entry *e, uint64_t key)
{
	uint64_t word = __atomic_load_n(&e->word, __ATOMIC_RELAXED);

	return word && (__atomic_load_n(&e->mark, __ATOMIC_RELAXED) ^ word * MARK_ODD) == key;
}

static void rules_entry_write(struct rule_entry *e, uint64_t key, uint64_t word)
{
	__atomic_store_n(&e->mark, key ^ word * MARK_ODD, __ATOMIC_RELAXED);
	__atomic_store_n(&e->word, word, __ATOMIC_RELAXED);
}

/* Stores an entry in an empty place of its line, else over a stale one, else over its home. */
static void rule_keep(uint64_t key, uint64_t home, uint64_t word)
{
	uint64_t line = home & ~(uint64_t)(RULES_LINE - 1);
	struct rule_entry *at = &rules.entry[home];

	for (unsigned int i = 0; i < RULES_LINE; i++) {
		struct rule_entry *e = &rules.entry[line + (home + i) % RULES_LINE];
		uint64_t known = __atomic_load_n(&e->word, __ATOMIC_RELAXED);
		uint64_t holder = __atomic_load_n(&e->mark, __ATOMIC_RELAXED) ^ known * MARK_ODD;

		if (!known || (holder ^ key) & ~RULES_PLACE) {
			at = e;
			break;
		}
	}
	rules_entry_write(at, key, word);
}

/*
 * Stores an entry unless its epoch is over, because the epoch's number may be used again. The epoch
 * is checked after the store. So even a thread that was suspended in between for a whole cycle of
 * numbers removes its entry again.
 */
static void hot_put(uint64_t *at, uint64_t entry, uint64_t epoch)
{
	__atomic_store_n(at, entry, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&rules.epoch, __ATOMIC_SEQ_CST) != epoch)
		__atomic_store_n(at, 0, __ATOMIC_RELAXED);
}

/*
 * Looks in the other three places. An entry found there moves to its home, and the entry there
 * takes its place; otherwise a rule that an import used once would keep a rule in constant use out
 * of its home. 0: in none of them.
 */
static uint64_t hot_search(uint64_t code, uint64_t epoch)
{
	uint64_t *home = &rules.hot[rule_hot_place(code)];

	for (uint64_t i = 1; i < RULES_HOT_WAYS; i++) {
		uint64_t *other = &rules.hot[rule_hot_place(code) ^ i];
		uint64_t entry = __atomic_load_n(other, __ATOMIC_RELAXED);

		if (rule_hot_differs(entry, code, rules_epoch_bits(epoch)))
			continue;
		hot_put(other, __atomic_load_n(home, __ATOMIC_RELAXED), epoch);
		hot_put(home, entry, epoch);
		return entry;
	}
	return 0;
}

/* Stores an entry at its home. The entry that was there moves to another of the four places. */
static void hot_keep(uint64_t code, uint64_t epoch, uint64_t rule)
{
	uint64_t *home = &rules.hot[rule_hot_place(code)];
	uint64_t *other = &rules.hot[rule_hot_place(code) ^ (1 + (code >> 20) % 3)];
	uint64_t known = __atomic_load_n(home, __ATOMIC_RELAXED), bits = rules_epoch_bits(epoch);

	if (rule_hot_epoch(known) == bits)
		hot_put(other, known, epoch);
	hot_put(home, rule_hot_entry(rule, code, bits), epoch);
}

/* The bits of an epoch in a key: those that RULES_PLACE leaves free. */
static uint64_t key_bits(uint64_t epoch)
{
	uint64_t number = epoch >> RULES_EPOCH_SHIFT;

	return (number & 0xff) << 48 | (number >> 8 & 0x7f) << 57;
}

/* Looks into the large table. 0: the rule is not there. */
static uint64_t entries_search(uint64_t key, uint64_t home)
{
	uint64_t line = home & ~(uint64_t)(RULES_LINE - 1);

	for (unsigned int i = 0; rules.entry && i < RULES_LINE; i++) {
		struct rule_entry *e = &rules.entry[line + i];
		uint64_t word = __atomic_load_n(&e->word, __ATOMIC_RELAXED);

		if (word && entry_is_of(e, key))
			return word;
	}
	return 0;
}

/* `ret_stays`: the rule may be kept. */
static uint64_t rule_find(uint64_t key, bool *ret_stays)
{
	uint64_t home = key * 0x9e3779b97f4a7c15u >> 24 & rules.mask;
	uint64_t rule = entries_search(key, home);

	*ret_stays = true;
	if (rule)
		return rule;
	/*
	 * checked before the tables are read: what is found in them may be unloaded afterwards, but
	 * not before
	 */
	*ret_stays = rules.entry && !atomic_load(&unloading);
	rule = rules_rule_work_out(key & ADDRESS_MASK, key & RULES_EXACT);
	/*
	 * code outside of any object, made while the program runs; later an object may be loaded at
	 * this address
	 */
	if (rule == rule_of_kind(RULE_NONE)) {
		*ret_stays = false;
		return rule_of_kind(RULE_UNKNOWN);
	}
	if (*ret_stays)
		rule_keep(key, home, rule);
	return rule;
}

uint64_t rule_search(uint64_t place)
{
	uint64_t epoch = rules_epoch(), code = rule_hot_code(place);
	bool may_be_hot = !(place >> RULES_HOT_ADDRESS_BITS), stays;
	uint64_t rule = may_be_hot ? hot_search(code, epoch) : 0;

	if (rule)
		return rule;
	rule = rule_find((place & RULES_PLACE) | key_bits(epoch), &stays);
	if (stays && may_be_hot && rule & RULE_IS_USUAL)
		hot_keep(code, epoch, rule);
	return rule;
}
