/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * Which instructions of which version are calls of C code, and where they stand in a process: this
 * one.
 */
#include "collector/samples/native_calls.h"

#include <unistd.h>

#include "tests/unit/unit.h"

enum {
	CALL_311 = 171,
	CALL_METHOD_38 = 161,
	BINARY_OP_311 = 122,
	CALL_LEN_312 = 42,
	FOR_ITER_312 = 93,
};
enum { ADD = 0, FLOOR_DIVIDE = 2, MATRIX_MULTIPLY = 4, ADD_IN_PLACE = 13 };

TEST(calls_by_version)
{
	assert_true(native_calls_is(11, CALL_311, 0));
	assert_true(native_calls_is(8, CALL_METHOD_38, 0));
	assert_false(native_calls_is(8, CALL_311, 0));
	assert_false(native_calls_is(12, CALL_LEN_312, 0)); /* the interpreter does that itself */
	assert_false(native_calls_is(99, CALL_311, 0));
	/* of a list, a range or a generator it is another one from 3.12 on, before it is not */
	assert_true(native_calls_is(12, FOR_ITER_312, 0));
	assert_false(native_calls_is(11, FOR_ITER_312, 0));
}

TEST(operations_by_what_they_do)
{
	assert_true(native_calls_is(11, BINARY_OP_311, MATRIX_MULTIPLY));
	assert_true(native_calls_is(11, BINARY_OP_311, ADD));
	assert_true(native_calls_is(12, BINARY_OP_311, ADD_IN_PLACE));
	assert_false(
		native_calls_is(12, BINARY_OP_311, FLOOR_DIVIDE)); /* of numbers it is the same */
	assert_false(native_calls_is(12, BINARY_OP_311, FLOOR_DIVIDE + ADD_IN_PLACE));
}

static bool look(unsigned int minor, uint64_t code, uint64_t at)
{
	struct memory memory;
	bool native;

	assert_int_equal(memory_init(&memory), 0);
	memory_begin(&memory, (uint32_t)getpid());
	native = native_calls_at(&memory, python_layout_of(minor), &(struct call_site){ code, at });
	memory_release(&memory);
	return native;
}

/* From 3.11 on a frame has the address of its instruction. */
TEST(an_instruction_by_address)
{
	static const uint8_t code[] = { 1, 0, CALL_311, 1 };

	assert_true(look(11, 0, (uintptr_t)&code[2]));
	assert_false(look(11, 0, (uintptr_t)&code[0]));
	assert_false(look(11, 0, 0));
}

/* Before, its number: of bytes, in 3.10 of instructions. */
TEST(an_instruction_by_number)
{
	static uint8_t instructions[40], code[64];
	const uint8_t *at = instructions;

	memcpy(code + 48, &at, sizeof(at));
	instructions[32 + 4] = CALL_METHOD_38;
	assert_true(look(9, (uintptr_t)code, 4));
	assert_false(look(9, (uintptr_t)code, 2));
	assert_true(look(10, (uintptr_t)code, 2));
	assert_false(look(9, 0, 4));
}
