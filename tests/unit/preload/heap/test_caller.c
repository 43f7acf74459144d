/* SPDX-License-Identifier: MIT */
/* links: cfi preload:heap/caller.c,stacks/stack.c,stacks/walk.c,stacks/step.c,stacks/rules.c,stacks/frame_names.c,stacks/ahead.c,stacks/thread.c,stacks/sample.c,stacks/large.c,stacks/pages.c,stacks/wrappers.c,base/object_span.c,base/symbols.c,record/entry.c */
/* preload/heap/caller.c: the walk, which rows are frames to skip, and stacks instead of callers. */
#include <dlfcn.h>

#include "tests/unit/plain_clock.h"
#include "tests/unit/unit.h"
#include "preload/base/object.h"
#include "preload/heap/caller.h"
#include "collector/cfi/cfi.h"
#include "preload/stacks/stack.h"

uint64_t recorder_base;
union recorder_page recorder_page;
__thread struct recorder_thread recorder_self;
void (*unload_forget)(void);
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
TEST(test_rows)
{
	const struct cfi_saved_at same = { CFI_SAVED_SAME, 0 }, ret = { CFI_SAVED_BY_CFA, -8 };
	const struct cfi_saved_at second = { CFI_SAVED_BY_CFA, -16 };
	const struct cfi_row skipped[] = {
#if !ARCH_HAS_PAIRS
		{ .cfa = CFI_CFA_RSP, .offset = 8, .rbp = same, .ret = ret },
#endif
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

TEST(test_plain_caller)
{
	uint64_t plain;

	caller_forget();
	for (unsigned int i = 0; i < 3; i++) {
		uint64_t caller = who_called(&plain);

		assert_int_equal(caller, plain);
		assert_true(caller_is_plain(plain));
	}
	assert_true(unload_forget == caller_forget); /* a library that is unloaded */
}

/* No two pages have the same code at the same home. */
TEST(test_codes_are_exact)
{
	uint64_t seed = 1;

	for (unsigned int i = 0; i < 1000000; i++) {
		uint64_t address, mix, page = 0, factor = 0x9e3779b97f4a7c15u, inverse = factor;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		address = seed >> 16;
		mix = caller_page_mix(address);
		for (unsigned int round = 0; round < 6; round++)
			inverse *= 2 - factor * inverse;
		page = (uint64_t)(caller_page_home(mix) - caller_known.page) << 54 |
		       (uint64_t)caller_page_code(mix) << 27;
		page = (page >> 28) * inverse & ((1ull << 36) - 1);
		assert_int_equal(page, address >> CALLER_PAGE_BITS);
		assert_int_equal(caller_page_code(mix) & CALLER_PLAIN, 0);
	}
}

/* --- how often the tables of objects are asked --- */

static unsigned int asked;

/* The one that caller.c finds, counted. */
int object_find(void *address, struct object *ret_object)
{
	static int (*next)(void *, struct object *);

	asked++;
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "_dl_find_object");
	return next ? next(address, ret_object) : -1;
}

static void call_from(uint64_t address)
{
	void *frame[2] = { NULL, (void *)(uintptr_t)address };

	recorder_self.lane[0].head += 3;
	assert_int_equal(caller_of(&lane, frame, 64), address);
}

#define PLACES 150u
#define PLACE_BYTES 4200u /* from one to the next: each in another page */

/*
 * An import calls from more places than the cache has words. Those that go on calling afterwards
 * are asked about a few times each, and then no more.
 */
TEST(test_steady_after_many)
{
	struct object libc;
	uint64_t start, end;

	/* one that no sanitiser has of its own: theirs lie beside operator new */
	assert_int_equal(object_find((void *)(uintptr_t)a64l, &libc), 0);
	start = (uintptr_t)libc.start + PLACE_BYTES;
	end = start + PLACES * PLACE_BYTES;
	assert_true(end < (uintptr_t)libc.end);
	caller_forget();
	for (uint64_t at = start; at < end; at += 40)
		call_from(at);
	for (unsigned int round = 0; round < 100; round++)
		for (unsigned int i = 0; i < PLACES; i++)
			call_from(start + i * PLACE_BYTES);
	asked = 0;
	for (unsigned int round = 0; round < 100; round++)
		for (unsigned int i = 0; i < PLACES; i++)
			call_from(start + i * PLACE_BYTES);
	assert_int_equal(asked, 0);
}

/* A word of the cache that lies, as after dlclose() and dlopen(): misled, and alive. */
TEST(test_stale_cache)
{
	uint64_t plain;

	for (uint64_t way = 1; way < 0x10000; way++) {
		caller_forget();
		who_called(&plain);
		*caller_page_home(caller_page_mix(plain)) = caller_page_code(
			caller_page_mix(plain));
		*caller_rule_home(plain) = plain | way << CALLER_ADDRESS_BITS;
		assert_true(who_called(&plain) >> CALLER_ADDRESS_BITS == 0);
	}
}

/* Every call comes to the stack, from the first on. */
TEST(test_stack_instead)
{
	uint64_t plain, caller;

	caller_forget();
	if (stack_begin(1u << EVT_FAMILY_alloc, 1024, 64))
		skip();
	for (unsigned int i = 0; i < 3; i++) {
		caller = who_called(&plain);
		assert_true(caller & RECORD_STACK_BIT);
		assert_true(caller >> RECORD_CALLER_BITS == 0);
		assert_false(caller_is_plain(plain));
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
