/* SPDX-License-Identifier: MIT */
/* See rules.h. */
#include "preload/stacks/rules.h"

#include <stdatomic.h>
#include <stddef.h>

#include "preload/base/object_span.h"
#include "preload/stacks/pages.h"
#include "preload/stacks/wrappers.h"

#define MARK_ODD 0xd6e8feb86659fd93u
#define ADDRESS_MASK ((1ull << 47) - 1)
#define HOT_BYTES (sizeof(struct rule_entry) << RULES_HOT_BITS)

/* glibc's struct ucontext_t lies at rsp in the frame of a signal's return. */
#define UCONTEXT_RSP 160
#define UCONTEXT_RIP 168
#define UCONTEXT_RBP 120

struct rules rules;
static uintptr_t rules_outermost;
static _Atomic uint32_t unloading; /* threads within dlclose() */

bool rules_begin(uint64_t entries, uintptr_t outermost)
{
	rules_outermost = outermost;
	if (!rules.hot)
		rules.hot = pages_map(HOT_BYTES);
	if (rules.entry || !rules.hot)
		return rules.entry && rules.hot;
	rules.entry = pages_map_huge(entries * sizeof(*rules.entry));
	if (!rules.entry)
		return false;
	rules.mask = entries - 1;
	return true;
}

/* --- epochs --- */

static void entries_forget(struct rule_entry *entry, uint64_t count)
{
	for (uint64_t i = 0; entry && i < count; i++)
		__atomic_store_n(&entry[i].word, 0, __ATOMIC_RELAXED);
}

/* All numbers have been used: what is of their first use is not to be taken for what comes now. */
static void epochs_begin_anew(void)
{
	entries_forget(rules.hot, 1ull << RULES_HOT_BITS);
	entries_forget(rules.entry, rules.mask + 1);
}

static void epoch_next(void)
{
	uint64_t one = 1ull << RULES_EPOCH_SHIFT;
	uint64_t next = __atomic_add_fetch(&rules.epoch, one, __ATOMIC_SEQ_CST);

	if ((next >> RULES_EPOCH_SHIFT) % RULES_EPOCHS == 0)
		epochs_begin_anew();
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

/* The registers of who was interrupted, where the kernel and glibc put them; any other place is refused. */
static uint64_t pack_signal(const struct cfi_row *row)
{
	bool usual = row->cfa == CFI_CFA_RSP_LOAD && row->offset == UCONTEXT_RSP && !row->after &&
		     row->ret.how == CFI_SAVED_BY_RSP && row->ret.offset == UCONTEXT_RIP &&
		     row->rbp.how == CFI_SAVED_BY_RSP && row->rbp.offset == UCONTEXT_RBP;

	return usual ? RULE_SIGNAL : RULE_UNKNOWN;
}

/* See RULE_IS_USUAL. */
static bool row_is_usual(const struct cfi_row *row)
{
	if ((row->cfa != CFI_CFA_RSP && row->cfa != CFI_CFA_RBP) || row->offset % 8)
		return false;
	return row->rbp.how == CFI_SAVED_SAME ||
	       (row->rbp.how == CFI_SAVED_BY_CFA && row->rbp.offset <= -16);
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
	int64_t rbp = row->rbp.how == CFI_SAVED_SAME ? 0 : row->rbp.offset;
	uint64_t usual = 0;

	if (row->ret.how == CFI_SAVED_LOST)
		return RULE_END;
	if (row->signal)
		return pack_signal(row);
	if (row->rbp.how == CFI_SAVED_LOST || row->ret.how != CFI_SAVED_BY_CFA ||
	    row->ret.offset != -8)
		return RULE_UNKNOWN;
	if (!offset_fits(row->offset, RULE_OFFSET_BITS) || rbp % 8 ||
	    !offset_fits(rbp / 8, RULE_SAVED_BITS) || row->after < 0 || row->after % 8 ||
	    row->after / 8 > RULE_AFTER_MAX)
		return RULE_UNKNOWN;
	if (row_is_usual(row)) {
		usual = RULE_IS_USUAL;
		rbp = row->rbp.how == CFI_SAVED_SAME ? -8 : rbp;
	}
	return usual | kinds[row->cfa] | (uint64_t)saved[row->rbp.how] << RULE_RBP_SHIFT |
	       (uint64_t)(row->after / 8) << RULE_AFTER_SHIFT |
	       (uint64_t)row->offset << RULE_OFFSET_SHIFT |
	       ((uint64_t)(rbp / 8) & ((1ull << RULE_SAVED_BITS) - 1)) << RULE_SAVED_SHIFT;
}

/* --- working out --- */

static uint64_t rule_work_out(uint64_t address, bool exact)
{
	uint64_t within = exact ? address : address - 1;
	uint64_t rule = RULE_UNKNOWN;
	struct object_span whole;
	struct object object;
	struct cfi_span span;
	struct cfi_row row;

	if (!exact && address == rules_outermost)
		return RULE_END;
	if (!object_of(within, &object))
		return RULE_NONE;
	whole = object_span(&object);
	span = (struct cfi_span){ whole.low, whole.high, true };
	if (cfi_find_row(span, (uintptr_t)object.header, within, &row))
		rule = rule_pack(&row) & ~(exact ? (uint64_t)RULE_IS_USUAL : 0);
	if (wrappers_contain(object.map, span.low, span.high, within))
		rule |= RULE_IS_WRAPPER;
	return rule;
}

static bool entry_is_of(const struct rule_entry *e, uint64_t key)
{
	uint64_t word = __atomic_load_n(&e->word, __ATOMIC_RELAXED);

	return word && (__atomic_load_n(&e->mark, __ATOMIC_RELAXED) ^ word * MARK_ODD) == key;
}

static void entry_write(struct rule_entry *e, uint64_t key, uint64_t word)
{
	__atomic_store_n(&e->mark, key ^ word * MARK_ODD, __ATOMIC_RELAXED);
	__atomic_store_n(&e->word, word, __ATOMIC_RELAXED);
}

/* Into an empty place of its line, or over one that is stale, or over its home. */
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
	entry_write(at, key, word);
}

uint64_t rule_search(uint64_t key)
{
	uint64_t home = key * 0x9e3779b97f4a7c15u >> 24 & rules.mask;
	uint64_t line = home & ~(uint64_t)(RULES_LINE - 1);
	struct rule_entry *hot = rule_hot(key & RULES_PLACE);
	uint64_t rule;
	bool keep;

	for (unsigned int i = 0; rules.entry && i < RULES_LINE; i++) {
		struct rule_entry *e = &rules.entry[line + i];
		uint64_t word = __atomic_load_n(&e->word, __ATOMIC_RELAXED);

		if (!word || !entry_is_of(e, key))
			continue;
		entry_write(hot, key, word);
		return word;
	}
	/* looked at before the tables are: what is found in them may be unloaded afterwards, not before */
	keep = rules.entry && !atomic_load(&unloading);
	rule = rule_work_out(key & ADDRESS_MASK, key & RULES_EXACT);
	/* no object's: code that is made while the program runs, and its place may be an object's next time */
	if (rule == RULE_NONE)
		return RULE_UNKNOWN;
	if (keep) {
		rule_keep(key, home, rule);
		entry_write(hot, key, rule);
	}
	return rule;
}
