/* SPDX-License-Identifier: MIT */
/* links: cfi */
/* collector/cfi/cfi.c: hand-made call frame information, right, cut short and hostile. */
#include "tests/unit/unit.h"

#include <sys/mman.h>

#include "collector/cfi/cfi.h"
#include "preload/stacks/memory.h"

#define FUNCTION_BYTES 100u
#define CIE_AT 64u
#define FDE_AT 128u

/* length 20, CIE, version 1, "zR", code 1, data -8, return 16, augmentation 1 byte: pcrel sdata4;
 * def_cfa rsp 8, offset r16 at cfa-8, two nops */
static const uint8_t plain_cie[] = { 20, 0,    0,  0, 0,    0,    0, 0, 1,    'z', 'R', 0,
				     1,  0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1,   0,   0 };

bool cfi_page_is_readable(void *context, uintptr_t page)
{
	assert_null(context);
	return memory_page_is_readable(page);
}

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

/*
 * A header of one row, the CIE, and an FDE of these instructions for a function that lies at 4096.
 */
static void frame_make(const uint8_t *code, unsigned int bytes)
{
	memset(memory, 0, sizeof(memory));
	span = (struct cfi_span){ place(0), place(sizeof(memory)), true, NULL };
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

static struct cfi_row row;

static bool find(unsigned int offset)
{
	row = (struct cfi_row){ 0 };
	return cfi_find_row(span, place(0), place(4096) + offset, &row);
}

/* The CFA is rsp + words, or rbp + 2 words; rbp is saved so many words below it, 0: not. */
static void expect_frame(unsigned int offset, enum cfi_cfa cfa, int words, int rbp_words)
{
	assert_true(find(offset));
	assert_int_equal(row.cfa, cfa);
	assert_int_equal(row.offset, 8 * words);
	assert_int_equal(row.rbp.how, rbp_words ? CFI_SAVED_BY_CFA : CFI_SAVED_SAME);
	assert_int_equal(row.rbp.offset, -8 * rbp_words);
	assert_int_equal(row.ret.how, CFI_SAVED_BY_CFA);
	assert_int_equal(row.ret.offset, -8);
	assert_false(row.signal);
}

#define FRAME(...)                                      \
	do {                                            \
		const uint8_t code[] = { __VA_ARGS__ }; \
		frame_make(code, sizeof(code));         \
	} while (0)

TEST(test_stack_pointer)
{
	/* push rbx; sub rsp, 16; remember; add; pop; ret; recall */
	FRAME(0x41, 0x0e, 16, 0x83, 2, 0x44, 0x0e, 32, 0x0a, 0x02, 40, 0x0e, 8, 0x03, 1, 0, 0x0b, 0,
	      0);
	expect_frame(0, CFI_CFA_RSP, 1, 0);
	expect_frame(1, CFI_CFA_RSP, 2, 0);
	expect_frame(5, CFI_CFA_RSP, 4, 0);
	expect_frame(44, CFI_CFA_RSP, 4, 0);
	expect_frame(45, CFI_CFA_RSP, 1, 0);
	expect_frame(46, CFI_CFA_RSP, 4, 0);
	expect_frame(FUNCTION_BYTES - 1, CFI_CFA_RSP, 4, 0);
	assert_false(find(FUNCTION_BYTES));
	assert_false(find(UINT32_MAX));
	/* rbp is one of the saved registers, then restored */
	FRAME(0x41, 0x0e, 16, 0x86, 2, 0x42, 0x0e, 32, 0x44, 0xc6, 0x0e, 8);
	expect_frame(1, CFI_CFA_RSP, 2, 2);
	expect_frame(3, CFI_CFA_RSP, 4, 2);
	expect_frame(7, CFI_CFA_RSP, 1, 0);
}

TEST(test_frame_pointer)
{
	FRAME(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x50, 0x0c, 7, 8);
	expect_frame(4, CFI_CFA_RBP, 2, 2);
}

/*
 * Compilers leave the rule of a register that was popped as it was: its place is below rsp then,
 * and the register has it again.
 */
TEST(test_popped)
{
	/* push rbp; push rbx; pop rbx; pop rbp */
	FRAME(0x41, 0x0e, 16, 0x86, 2, 0x41, 0x0e, 24, 0x83, 3, 0x45, 0x0e, 16, 0x41, 0x0e, 8);
	expect_frame(2, CFI_CFA_RSP, 3, 2);
	expect_frame(7, CFI_CFA_RSP, 2, 2);
	assert_true(find(8));
	assert_int_equal(row.rbp.how, CFI_SAVED_SAME);
	/* the save is said before the stack has grown */
	FRAME(0x41, 0x86, 2, 0x0e, 16, 0x45, 0x0e, 8);
	expect_frame(1, CFI_CFA_RSP, 2, 2);
	assert_true(find(6));
	assert_int_equal(row.rbp.how, CFI_SAVED_SAME);
	/* push rbp; mov rbp, rsp; leave; then the function's other part, where it is saved */
	FRAME(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x42, 0x0a, 0x0c, 7, 8, 0x41, 0x0b);
	expect_frame(4, CFI_CFA_RBP, 2, 2);
	assert_true(find(6));
	assert_int_equal(row.rbp.how, CFI_SAVED_SAME);
	expect_frame(7, CFI_CFA_RBP, 2, 2);
	/* saved below rsp to begin with, where a leaf may: it is still there */
	FRAME(0x41, 0x86, 2);
	expect_frame(1, CFI_CFA_RSP, 1, 2);
	expect_frame(50, CFI_CFA_RSP, 1, 2);
}

/* Offset of the units in the CIE: code, then data, which is negative. */
#define UNITS_AT (CIE_AT + 12)

TEST(test_units)
{
	/* advance 1; CFA = rsp + 16; rbp at CFA - 4 units; advance 3; CFA = rsp + 32 */
	static const uint8_t code[] = { 0x41, 0x0e, 16, 0x86, 4, 0x43, 0x0e, 32 };
	static const uint8_t refused[][2] = {
		{ 0, 0x7c }, { 5, 0x7c }, { 2, 0 }, { 2, 4 }, { 2, 0x77 }
	};

	frame_make(code, sizeof(code));
	memory[UNITS_AT] = 2;
	memory[UNITS_AT + 1] = 0x7c; /* -4 */
	memory[CIE_AT + 21] = 2;     /* the return address is at CFA - 2 units */
	expect_frame(1, CFI_CFA_RSP, 1, 0);
	expect_frame(2, CFI_CFA_RSP, 2, 2);
	expect_frame(7, CFI_CFA_RSP, 2, 2);
	expect_frame(8, CFI_CFA_RSP, 4, 2);
	for (unsigned int i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		memcpy(memory + UNITS_AT, refused[i], 2);
		if (find(50))
			fail_msg("units %u were accepted", i);
	}
}

TEST(test_refused)
{
	static const uint8_t codes[][4] = {
		{ 0x0f, 1, 0x30, 0 },  /* the CFA is a number */
		{ 0x0f, 1, 0x06, 0 },  /* read from nowhere */
		{ 0x0f, 9, 0x77, 8 },  /* cut short */
		{ 0x10, 16, 1, 0x30 }, /* where the return address is, is a number */
		{ 0x01, 0, 0, 0 },     /* set_loc */
		{ 0x08, 16, 0, 0 },    /* the return address is where it was */
		{ 0x09, 16, 3, 0 },    /* or in another register */
		{ 0x14, 16, 1, 0 },    /* or a value */
		{ 0x0b, 0, 0, 0 },     /* recall without remember */
		{ 0x0c, 10, 8, 0 },    /* the CFA is by r10 */
		{ 0x3f, 0, 0, 0 },     /* nothing anybody defined */
	};

	for (unsigned int i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		frame_make(codes[i], sizeof(codes[i]));
		if (find(50))
			fail_msg("code %u was accepted", i);
	}
	FRAME(0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a); /* remembers for ever */
	assert_false(find(50));
	FRAME(0x0e, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1); /* a number without an end */
	assert_false(find(50));
	FRAME(0x04, 1, 0); /* cut short */
	assert_false(find(50));
}

/* Every byte of a good table, with every bit of it turned and at every length of memory. */
TEST(test_hostile)
{
	FRAME(0x41, 0x0e, 16, 0x83, 2, 0x44, 0x0e, 32, 0x0a, 0x02, 40, 0x0e, 8, 0x0b);
	for (unsigned int at = 0; at < FDE_AT + 40; at++) {
		for (unsigned int bit = 0; bit < 8; bit++) {
			memory[at] ^= (uint8_t)(1u << bit);
			find(50);
			memory[at] ^= (uint8_t)(1u << bit);
		}
	}
	expect_frame(50, CFI_CFA_RSP, 4, 0);
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
}

/* What realigns its stack, the tables of procedures, and the frame of a signal's return. */
TEST(test_expressions)
{
	/* gcc: the CFA is the word at rbp - 8; rbp is saved where it points to */
	FRAME(0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0);
	assert_true(find(50));
	assert_int_equal(row.cfa, CFI_CFA_RBP_LOAD);
	assert_int_equal(row.offset, -8);
	assert_int_equal(row.after, 0);
	assert_int_equal(row.rbp.how, CFI_SAVED_BY_RBP);
	assert_int_equal(row.rbp.offset, 0);
	/* OpenSSL: the word at rsp + 152, and 8 more */
	FRAME(0x0f, 6, 0x77, 0x98, 1, 0x06, 0x23, 8);
	assert_true(find(50));
	assert_int_equal(row.cfa, CFI_CFA_RSP_LOAD);
	assert_int_equal(row.offset, 152);
	assert_int_equal(row.after, 8);
	/* ld: rsp + 8, and 8 more from the 11th byte of 16 on */
	FRAME(0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22);
	for (unsigned int at = 0; at < 32; at++)
		expect_frame(at, CFI_CFA_RSP, (place(4096) + at) % 16 >= 11 ? 2 : 1, 0);
	/* the return address is undefined: the outermost frame */
	FRAME(0x07, 16);
	assert_true(find(50));
	assert_int_equal(row.ret.how, CFI_SAVED_LOST);
	/* rbp is what we do not follow: that is for whoever needs it */
	FRAME(0x16, 6, 1, 0x30);
	assert_true(find(50));
	assert_int_equal(row.rbp.how, CFI_SAVED_LOST);
	/* and is the first row's again */
	FRAME(0x16, 6, 1, 0x30, 0xc6);
	expect_frame(50, CFI_CFA_RSP, 1, 0);
}

TEST(test_signal_frame)
{
	static const uint8_t signal_cie[] = { 20, 0, 0,    0,  0, 0,    0, 0, 1, 'z', 'R', 'S',
					      0,  1, 0x78, 16, 1, 0x1b, 0, 0, 0, 0,   0,   0 };

	FRAME(0x0f, 4, 0x77, 0xa0, 1, 0x06, 0x10, 16, 3, 0x77, 0xa8, 1, 0x10, 6, 3, 0x77, 0xf8, 0);
	memcpy(memory + CIE_AT, signal_cie, sizeof(signal_cie));
	assert_true(find(50));
	assert_true(row.signal);
	assert_int_equal(row.cfa, CFI_CFA_RSP_LOAD);
	assert_int_equal(row.offset, 160);
	assert_int_equal(row.ret.how, CFI_SAVED_BY_RSP);
	assert_int_equal(row.ret.offset, 168);
	assert_int_equal(row.rbp.how, CFI_SAVED_BY_RSP);
	assert_int_equal(row.rbp.offset, 120);
}

/* A program has unmapped tables of its own. */
TEST(test_unmapped)
{
	uint8_t *copy = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);
	struct cfi_span all = { (uintptr_t)copy, (uintptr_t)copy + 3 * 4096, true, NULL };
	uint32_t header[3] = { 0x3b031b01, 0, 2 };
	int32_t rows[4] = { 4096, 4096, 4096, 4096 };

	memcpy(copy, header, sizeof(header));
	memcpy(copy + 12, rows, sizeof(rows));
	assert_int_equal(munmap(copy + 4096, 4096), 0);
	assert_false(cfi_find_row(all, all.low, all.low + 4096, &row)); /* entries */
	assert_int_equal(munmap(copy, 4096), 0);
	assert_false(cfi_find_row(all, all.low, all.low + 4096, &row)); /* the search table */
	assert_false(cfi_run_entry(all, all.low + 3 * 4096 - 4, all.low, &row));
	munmap(copy + 2 * 4096, 4096);
}
