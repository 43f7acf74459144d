/* SPDX-License-Identifier: MIT */
/* links: cfi preload:stacks/rules.c,stacks/wrappers.c,stacks/pages.c,base/object_span.c,base/symbols.c */
/*
 * preload/stacks/rules.c: a rule is that of its address and of no other, whatever the tables have
 * room for.
 */
#include "tests/unit/unit.h"
#include "preload/base/object_span.h"
#include "preload/stacks/rules.h"
#include "preload/stacks/wrappers.h"

#define ADDRESSES 40000u
#define PASSES 3u

static uint64_t bits_now(void)
{
	return rules_epoch_bits(rules_epoch());
}

static bool is_hot(uint64_t address)
{
	uint64_t code = rule_hot_code(address);

	return !rule_hot_differs(rules.hot[rule_hot_place(code)], code, bits_now());
}

static struct cfi_row row_of(enum cfi_cfa cfa, int64_t offset, enum cfi_saved how, int64_t saved)
{
	return (struct cfi_row){
		.cfa = cfa, .offset = offset, .rbp = { how, saved }, .ret = { CFI_SAVED_BY_CFA, -8 }
	};
}

static void expect_in_full(struct cfi_row row, bool is_usual)
{
	uint64_t rule = rule_pack(&row), full = rule_in_full(rule);
	bool is_saved = row.rbp.how == CFI_SAVED_BY_CFA;

	assert_int_equal(rule & RULE_IS_USUAL, is_usual);
	assert_int_equal(full & RULE_IS_USUAL, 0);
	assert_int_equal(rule_kind(full), row.cfa == CFI_CFA_RSP ? RULE_RSP : RULE_RBP);
	assert_int_equal(rule_offset(full), row.offset);
	assert_int_equal(rule_rbp(full), is_saved ? RULE_RBP_BY_CFA : RULE_RBP_SAME);
	assert_int_equal(rule_rbp_offset(full), row.rbp.offset);
	assert_int_equal(rule_after(full), 0);
	assert_int_equal(rule_in_full(rule | RULE_IS_WRAPPER), full | RULE_IS_WRAPPER);
	if (!is_usual)
		return;
	/* what the hot table adds changes nothing */
	assert_int_equal(rule_in_full(rule | RULE_HOT_MASK), full);
	assert_int_equal(usual_offset(rule), row.offset);
	assert_int_equal(usual_saved_at(rule, 0x1000), 0x1000 + (is_saved ? row.rbp.offset : -8));
}

TEST(test_usual_rules)
{
	for (int64_t offset = 0; offset <= 8 * USUAL_OFFSET_MAX; offset += 8) {
		expect_in_full(row_of(CFI_CFA_RSP, offset, CFI_SAVED_SAME, 0), true);
		expect_in_full(row_of(CFI_CFA_RBP, offset, CFI_SAVED_BY_CFA, -16), true);
	}
	for (int64_t saved = -16; saved >= -8 - 8 * USUAL_SAVED_MAX; saved -= 8)
		expect_in_full(row_of(CFI_CFA_RSP, 72, CFI_SAVED_BY_CFA, saved), true);
}

TEST(test_rules_that_do_not_fit)
{
	expect_in_full(row_of(CFI_CFA_RSP, 8 * USUAL_OFFSET_MAX + 8, CFI_SAVED_SAME, 0), false);
	expect_in_full(row_of(CFI_CFA_RSP, 20, CFI_SAVED_SAME, 0), false);
	expect_in_full(row_of(CFI_CFA_RBP, -16, CFI_SAVED_BY_CFA, -16), false);
	expect_in_full(row_of(CFI_CFA_RSP, 96, CFI_SAVED_BY_CFA, -16 - 8 * USUAL_SAVED_MAX), false);
	expect_in_full(row_of(CFI_CFA_RSP, 96, CFI_SAVED_BY_CFA, -8), false);
	expect_in_full(row_of(CFI_CFA_RSP, 96, CFI_SAVED_BY_CFA, 8), false);
}

/* The address whose code has these 47 bits: by the number that the code's factor is undone with. */
static uint64_t address_of_code(uint64_t code)
{
	uint64_t factor = rule_hot_code(1) >> RULES_HOT_ADDRESS_SHIFT, inverse = factor;

	for (unsigned int i = 0; i < 6; i++)
		inverse *= 2 - factor * inverse;
	return (code >> RULES_HOT_ADDRESS_SHIFT) * inverse & ((1ull << 47) - 1);
}

/*
 * Each bit of the code and of the epoch: in the place where an entry may stand it fits nobody else.
 */
TEST(test_an_entry_is_of_one_address)
{
	for (uint64_t i = 1; i < 2000; i++) {
		uint64_t address = i * 0x5deece66d & ((1ull << 47) - 1);
		uint64_t code = rule_hot_code(address), bits = rules_epoch_bits(i << 16);
		uint64_t entry = rule_hot_entry(~0ull, code, bits);

		assert_int_equal(address_of_code(code), address);
		assert_int_equal(rule_hot_differs(entry, code, bits), 0);
		assert_int_not_equal(rule_hot_differs(0, code, bits), 0);
		for (unsigned int bit = RULES_HOT_ADDRESS_SHIFT; bit < 64; bit++) {
			uint64_t other = rule_hot_code(address_of_code(code ^ 1ull << bit));

			assert_int_equal(other, code ^ 1ull << bit);
			if ((rule_hot_place(other) ^ rule_hot_place(code)) < RULES_HOT_WAYS)
				assert_int_not_equal(rule_hot_differs(entry, other, bits), 0);
		}
		for (uint64_t epoch = 1; epoch < RULES_HOT_EPOCHS; epoch *= 2)
			assert_int_not_equal(
				rule_hot_differs(entry, code, rules_epoch_bits((i ^ epoch) << 16)),
				0);
	}
}

/* As rules.c works it out, but without any table. */
static uint64_t rule_anew(const struct object *object, uint64_t within, bool exact)
{
	struct object_span whole = object_span(object);
	struct cfi_span span = { whole.low, whole.high, true, NULL };
	uint64_t rule = rule_of_kind(RULE_UNKNOWN);
	struct cfi_row row;

	if (cfi_find_row(span, (uintptr_t)object->header, within, &row))
		rule = exact ? rule_in_full(rule_pack(&row)) : rule_pack(&row);
	if (wrappers_contain(object->map, span.low, span.high, within))
		rule |= RULE_IS_WRAPPER;
	return rule;
}

/*
 * Far more addresses than there is room for, in an order that takes each other's place; and the
 * same by a signal's frame.
 */
TEST(test_rules_of_libc)
{
	uint64_t bits = bits_now(), start, bytes, seed = 1, usual = 0, hot = 0;
	struct object libc;

	assert_true(object_of((uintptr_t)&qsort, &libc));
	start = (uintptr_t)&qsort - 100000;
	bytes = 400000;
	for (unsigned int i = 0; i < PASSES * ADDRESSES; i++) {
		uint64_t address, rule, anew;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		address = start + (seed >> 33) % bytes;
		if (address <= (uintptr_t)libc.start || address >= (uintptr_t)libc.end)
			continue;
		anew = rule_anew(&libc, address - 1, false);
		hot += is_hot(address);
		rule = rule_at(address, bits);
		assert_int_equal(rule_in_full(rule), rule_in_full(anew));
		assert_int_equal(rule & RULE_IS_USUAL, anew & RULE_IS_USUAL);
		usual += rule & RULE_IS_USUAL;
		assert_int_equal(is_hot(address), rule & RULE_IS_USUAL);
		rule = rule_at(address | RULES_EXACT, bits);
		assert_int_equal(rule, rule_anew(&libc, address, true));
		assert_int_equal(rule & RULE_IS_USUAL, 0);
	}
	assert_true(usual > ADDRESSES / 2);
	assert_true(hot > 100);
}

/* Four share a place and all of them stay; the last one asked for is found at once. */
TEST(test_four_at_one_place)
{
	uint64_t address[RULES_HOT_WAYS], found = 0, bits = bits_now();
	uint64_t place = rule_hot_place(rule_hot_code((uintptr_t)&qsort + 1));

	for (uint64_t at = (uintptr_t)&qsort + 1; found < RULES_HOT_WAYS; at++)
		if (rule_hot_place(rule_hot_code(at)) == place && rule_at(at, bits) & RULE_IS_USUAL)
			address[found++] = at;
	for (unsigned int i = 0; i < 100; i++) {
		uint64_t at = address[i * 7 / 3 % RULES_HOT_WAYS];

		assert_int_equal(rule_at(at, bits) & RULE_IS_USUAL, RULE_IS_USUAL);
		assert_true(is_hot(at));
	}
}

TEST(test_unloading)
{
	uint64_t address = (uintptr_t)&qsort + 1;

	(void)rule_at(address, bits_now());
	assert_true(is_hot(address));
	rules_unloading_begins();
	assert_false(is_hot(address));
	assert_int_equal(rule_at(address, bits_now()) & RULE_IS_USUAL, RULE_IS_USUAL);
	assert_false(is_hot(address)); /* what is found while something is unloaded is not kept */
	rules_unloading_ends();
	assert_false(is_hot(address));
	(void)rule_at(address, bits_now());
	assert_true(is_hot(address));
}

/*
 * The hot table's epochs come again sooner than those of the large one: nothing of the first time
 * is left then.
 */
TEST(test_epochs_come_again)
{
	uint64_t address = (uintptr_t)&qsort + 1;

	(void)rule_at(address, bits_now());
	assert_true(is_hot(address));
	for (unsigned int i = 0; i < RULES_HOT_EPOCHS; i += 2) {
		rules_unloading_begins();
		rules_unloading_ends();
	}
	assert_false(is_hot(address));
	(void)rule_at(address, bits_now());
	assert_true(is_hot(address));
}

static int begin(void **state)
{
	return object_can_be_found() && rules_begin(1024, 0) ? 0 : -1;
}

TEST_GROUP(begin, NULL)
