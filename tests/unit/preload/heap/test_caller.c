/* SPDX-License-Identifier: MIT */
/* links: preload:heap/caller.c,heap/cfi.c,heap/wrappers.c,base/symbols.c */
/* preload/heap/cfi.c: hand-made call frame information, right, cut short and hostile; preload/heap/caller.c: the walk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "preload/heap/caller.h"
#include "preload/heap/cfi.h"

#define FUNCTION_BYTES 100u
#define CIE_AT 64u
#define FDE_AT 128u

/* length 20, CIE, version 1, "zR", code 1, data -8, return 16, augmentation 1 byte: pcrel sdata4;
 * def_cfa rsp 8, offset r16 at cfa-8, two nops */
static const uint8_t plain_cie[] = { 20, 0,    0,  0, 0,    0,    0, 0, 1,    'z', 'R', 0,
				     1,  0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1,   0,   0 };

static _Alignas(8) uint8_t memory[512];
static struct cfi_span span;

static uintptr_t place(unsigned int at)
{
	return (uintptr_t)memory + at;
}

static void put_word(unsigned int at, uint64_t value)
{
	uint32_t word = (uint32_t)value;

	memcpy(memory + at, &word, 4);
}

/* A header of one row, the CIE, and an FDE of these instructions for a function that lies at 4096. */
static void frame_make(const uint8_t *code, unsigned int bytes)
{
	memset(memory, 0, sizeof(memory));
	span = (struct cfi_span){ place(0), place(sizeof(memory)) };
	put_word(0, 0x3b031b01);
	put_word(8, 1);
	put_word(12, 4096);
	put_word(16, FDE_AT);
	memcpy(memory + CIE_AT, plain_cie, sizeof(plain_cie));
	put_word(FDE_AT, 13 + bytes);
	put_word(FDE_AT + 4, FDE_AT + 4 - CIE_AT);
	put_word(FDE_AT + 8, 4096 - (FDE_AT + 8));
	put_word(FDE_AT + 12, FUNCTION_BYTES);
	memcpy(memory + FDE_AT + 17, code, bytes);
}

static struct cfi_rule rule;

static bool find(unsigned int offset)
{
	rule = (struct cfi_rule){ 0 };
	return cfi_find_rule(span, place(0), place(4096) + offset, &rule);
}

static void expect_rule(unsigned int offset, struct cfi_rule wanted)
{
	assert_true(find(offset));
	assert_int_equal(rule.words, wanted.words);
	assert_int_equal(rule.rbp_words, wanted.rbp_words);
	assert_int_equal(rule.by_rbp, wanted.by_rbp);
}

#define FRAME(...)                                      \
	do {                                            \
		const uint8_t code[] = { __VA_ARGS__ }; \
		frame_make(code, sizeof(code));         \
	} while (0)

static void test_stack_pointer(void **state)
{
	(void)state;
	/* push rbx; sub rsp, 16; remember; add; pop; ret; recall */
	FRAME(0x41, 0x0e, 16, 0x83, 2, 0x44, 0x0e, 32, 0x0a, 0x02, 40, 0x0e, 8, 0x03, 1, 0, 0x0b, 0,
	      0);
	expect_rule(0, (struct cfi_rule){ .words = 1 });
	expect_rule(1, (struct cfi_rule){ .words = 2 });
	expect_rule(5, (struct cfi_rule){ .words = 4 });
	expect_rule(44, (struct cfi_rule){ .words = 4 });
	expect_rule(45, (struct cfi_rule){ .words = 1 });
	expect_rule(46, (struct cfi_rule){ .words = 4 });
	expect_rule(FUNCTION_BYTES - 1, (struct cfi_rule){ .words = 4 });
	assert_false(find(FUNCTION_BYTES));
	assert_false(find(UINT32_MAX));
	/* rbp is one of the saved registers, then restored */
	FRAME(0x41, 0x0e, 16, 0x86, 2, 0x42, 0x0e, 32, 0x44, 0xc6, 0x0e, 8);
	expect_rule(1, (struct cfi_rule){ .words = 2, .rbp_words = 2 });
	expect_rule(3, (struct cfi_rule){ .words = 4, .rbp_words = 2 });
	expect_rule(7, (struct cfi_rule){ .words = 1 });
}

static void test_frame_pointer(void **state)
{
	(void)state;
	FRAME(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x50, 0x0c, 7, 8);
	expect_rule(4, (struct cfi_rule){ .rbp_words = 2, .by_rbp = true });
	assert_false(find(20)); /* rbp is where nothing is any more, and not said to be restored */
}

static void test_refused(void **state)
{
	static const uint8_t codes[][4] = {
		{ 0x0f, 1, 0x30, 0 },    /* the CFA is an expression */
		{ 0x10, 6, 1, 0x30 },    /* a register is */
		{ 0x01, 0, 0, 0 },       /* set_loc */
		{ 0x07, 16, 0, 0 },      /* the return address is undefined */
		{ 0x08, 16, 0, 0 },      /* or where it was */
		{ 0x90, 2, 0, 0 },       /* or elsewhere */
		{ 0x09, 6, 3, 0 },       /* a register is in another one */
		{ 0x0b, 0, 0, 0 },       /* recall without remember */
		{ 0x0c, 10, 8, 0 },      /* the CFA is by r10 */
		{ 0x0d, 6, 0, 0 },       /* by rbp, which is not saved */
		{ 0x0e, 12, 0, 0 },      /* not whole words */
		{ 0x0e, 0, 0, 0 },       /* no room for a return address */
		{ 0x0e, 0x88, 0x04, 0 }, /* 65 words */
		{ 0x86, 3, 0, 0 },       /* rbp below the frame */
		{ 0x86, 1, 0, 0 },       /* rbp on the return address */
		{ 0x3f, 0, 0, 0 },       /* nothing anybody defined */
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		frame_make(codes[i], sizeof(codes[i]));
		if (find(50))
			fail_msg("code %u was accepted", i);
	}
	FRAME(0x0a, 0x0a, 0x0a, 0x0a, 0x0a); /* remembers for ever */
	assert_false(find(50));
	FRAME(0x0e, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1); /* a number without an end */
	assert_false(find(50));
	FRAME(0x04, 1, 0); /* cut short */
	assert_false(find(50));
}

/* Every byte of a good table, with every bit of it turned and at every length of memory. */
static void test_hostile(void **state)
{
	(void)state;
	FRAME(0x41, 0x0e, 16, 0x83, 2, 0x44, 0x0e, 32, 0x0a, 0x02, 40, 0x0e, 8, 0x0b);
	for (unsigned int at = 0; at < FDE_AT + 40; at++) {
		for (unsigned int bit = 0; bit < 8; bit++) {
			memory[at] ^= (uint8_t)(1u << bit);
			find(50);
			memory[at] ^= (uint8_t)(1u << bit);
		}
	}
	expect_rule(50, (struct cfi_rule){ .words = 4 });
	for (unsigned int bytes = 0; bytes < FDE_AT + 31; bytes++) {
		span.high = place(bytes);
		assert_false(find(50));
	}
	FRAME(0x0e, 16);
	put_word(8, UINT32_MAX); /* rows without end */
	assert_false(find(50));
	put_word(8, 0);
	assert_false(find(50));
	FRAME(0x0e, 16);
	put_word(FDE_AT, UINT32_MAX); /* a 64-bit length */
	assert_false(find(50));
	FRAME(0x0e, 16);
	put_word(FDE_AT + 4, UINT32_MAX); /* the CIE lies before the memory */
	assert_false(find(50));
	FRAME(0x0e, 16);
	memory[CIE_AT + 10] = 'S'; /* a signal frame */
	assert_false(find(50));
}

/* A function that is no wrapper is its own caller, from the cache and not. */
static __attribute__((noinline)) uint64_t who_called(uint64_t *ret_plain)
{
	*ret_plain = (uintptr_t)__builtin_return_address(0);
	return caller_of(CALLER_FRAME);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack_pointer), cmocka_unit_test(test_frame_pointer),
		cmocka_unit_test(test_refused),       cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_plain_caller),  cmocka_unit_test(test_stale_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
