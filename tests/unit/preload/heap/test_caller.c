/* SPDX-License-Identifier: MIT */
/* links: cfi preload:heap/caller.c,stacks/stack.c,stacks/walk.c,stacks/step.c,stacks/rules.c,stacks/frame_names.c,stacks/ahead.c,stacks/thread.c,stacks/sample.c,stacks/pages.c,stacks/wrappers.c,base/object_span.c,base/symbols.c,record/entry.c */
/* preload/heap/caller.c: the walk, which rows are frames to skip, and stacks instead of callers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "preload/heap/caller.h"
#include "collector/cfi/cfi.h"
#include "preload/stacks/stack.h"

bool clock_is_tsc = true;
uint64_t recorder_base;
static uint64_t words[4096];
static struct region_ring ring;
static struct recorder_lane lane = { .words = words, .limit = 4096, .mask = 4095, .ring = &ring };

bool recorder_make_room(struct recorder_lane *full, unsigned int count)
{
	(void)full;
	(void)count;
	return false;
}

bool recorder_find_room(struct recorder_lane *full, unsigned int count)
{
	(void)full;
	(void)count;
	return false;
}

/* Which rows are frames that a wrapper may have. */
static void test_rows(void **state)
{
	const struct cfi_saved_at same = { CFI_SAVED_SAME, 0 }, ret = { CFI_SAVED_BY_CFA, -8 };
	const struct cfi_saved_at second = { CFI_SAVED_BY_CFA, -16 };
	const struct cfi_row skipped[] = {
		{ .cfa = CFI_CFA_RSP, .offset = 8, .rbp = same, .ret = ret },
		{ .cfa = CFI_CFA_RSP, .offset = 512, .rbp = second, .ret = ret },
		{ .cfa = CFI_CFA_RBP, .offset = 16, .rbp = second, .ret = ret },
	};
	const struct cfi_row others[] = {
		{ .cfa = CFI_CFA_RSP, .offset = 12, .rbp = same, .ret = ret },
		{ .cfa = CFI_CFA_RSP, .offset = 0, .rbp = same, .ret = ret },
		{ .cfa = CFI_CFA_RSP, .offset = 520, .rbp = same, .ret = ret },
		{ .cfa = CFI_CFA_RSP, .offset = 8, .rbp = second, .ret = ret },
		{ .cfa = CFI_CFA_RSP, .offset = 16, .rbp = ret, .ret = ret },
		{ .cfa = CFI_CFA_RSP, .offset = 16, .rbp = same, .ret = second },
		{ .cfa = CFI_CFA_RSP, .offset = 16, .rbp = same, .ret = { CFI_SAVED_LOST, 0 } },
		{ .cfa = CFI_CFA_RSP, .offset = 16, .rbp = same, .ret = ret, .signal = true },
		{ .cfa = CFI_CFA_RBP, .offset = 16, .rbp = same, .ret = ret },
		{ .cfa = CFI_CFA_RBP, .offset = 24, .rbp = second, .ret = ret },
		{ .cfa = CFI_CFA_RSP_LOAD, .offset = 16, .rbp = same, .ret = ret },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(skipped) / sizeof(skipped[0]); i++)
		assert_true(caller_rule(&skipped[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (caller_rule(&others[i]))
			fail_msg("row %zu was accepted", i);
}

/* A function that is no wrapper is its own caller, from the cache and not. */
static __attribute__((noinline)) uint64_t who_called(uint64_t *ret_plain)
{
	*ret_plain = (uintptr_t)__builtin_return_address(0);
	return caller_of(&lane, CALLER_FRAME, 64);
}

static void test_plain_caller(void **state)
{
	uint64_t plain;

	(void)state;
	caller_forget();
	for (unsigned int i = 0; i < 3; i++) {
		uint64_t caller = who_called(&plain);

		assert_int_equal(caller, plain);
		assert_int_equal(*caller_home(plain), plain);
	}
}

/* A word of the cache that lies, as after dlclose() and dlopen(): misled, and alive. */
static void test_stale_cache(void **state)
{
	uint64_t plain;

	(void)state;
	for (uint64_t way = 1; way < 0x10000; way++) {
		caller_forget();
		who_called(&plain);
		*caller_home(plain) = plain | way << CALLER_ADDRESS_BITS;
		assert_true(who_called(&plain) >> CALLER_ADDRESS_BITS == 0);
	}
}

/* Every call comes to the stack, from the first on. */
static void test_stack_instead(void **state)
{
	uint64_t plain, caller;

	(void)state;
	caller_forget();
	if (stack_begin(1u << EVT_FAMILY_alloc, 1024, 64))
		skip();
	for (unsigned int i = 0; i < 3; i++) {
		caller = who_called(&plain);
		assert_true(caller & RECORD_STACK_BIT);
		assert_true(caller >> (RECORD_STACK_BITS + 1) == 0);
		assert_int_equal(*caller_home(plain), 0);
		assert_int_equal(lane.owner & RECORDER_BUSY_BITS, RECORDER_IN_RECORD);
	}
	lane.limit = lane.head; /* no room for frames: other stacks have their callers */
	stack_forked();
	caller = who_called(&plain);
	assert_int_equal(caller, plain);
	stack_families = 0;
	stack_without = 1u << EVT_FAMILY_alloc;
	assert_int_equal(who_called(&plain), 0);
	stack_without = 0;
	caller = who_called(&plain);
	assert_int_equal(caller, plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_plain_caller),
		cmocka_unit_test(test_stale_cache),
		cmocka_unit_test(test_stack_instead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
