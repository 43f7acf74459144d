/* SPDX-License-Identifier: MIT */
/*
 * Frames are numbered in the order of their appearance; the same caller, address and flags are the
 * same number.
 */
/* links: report format */
#include "tests/unit/unit.h"
#include "report/session/stacks.h"

#define CALLEES 3000u
#define DEPTH 20000u

TEST(what_differs_in_anything_is_another_frame)
{
	struct stacks stacks;

	stacks_init(&stacks);
	assert_int_equal(stacks_add(&stacks, STACK_NONE, 0x1000, 0), 1);
	assert_int_equal(stacks_add(&stacks, STACK_NONE, 0x1000, 2), 2);
	assert_int_equal(stacks_add(&stacks, STACK_NONE, 0x2000, 0), 3);
	assert_int_equal(stacks_add(&stacks, 1, 0x1000, 0), 4);
	assert_int_equal(stacks_add(&stacks, 2, 0x1000, 0), 5);
	assert_int_equal(stacks_add(&stacks, STACK_NONE, 0x1000, 2), 2);
	assert_int_equal(stacks_add(&stacks, 1, 0x1000, 0), 4);
	assert_int_equal(stacks_depth(&stacks, 4), 2);
	assert_int_equal(stacks_frame(&stacks, 5)->parent, 2);
	assert_int_equal(stacks_frame(&stacks, 2)->flags, 2);
	stacks_release(&stacks);
}

/* Far more than are in a list, of two callers in turns, one of them nobody. */
TEST(a_frame_may_call_any_number_of_others)
{
	struct stacks stacks;

	stacks_init(&stacks);
	assert_int_equal(stacks_add(&stacks, STACK_NONE, 1, 0), 1);
	for (int turn = 0; turn < 2; turn++)
		for (uint32_t i = 0; i < CALLEES; i++) {
			assert_int_equal(stacks_add(&stacks, STACK_NONE, 0x1000 + i, 0), 2 + 2 * i);
			assert_int_equal(stacks_add(&stacks, 1, 0x1000 + i, 0), 3 + 2 * i);
		}
	assert_int_equal(stacks.count, 2 + 2 * CALLEES);
	assert_int_equal(stacks.refused, 0);
	stacks_release(&stacks);
}

TEST(a_stack_may_be_deep)
{
	struct stacks stacks;
	uint32_t stack = STACK_NONE;

	stacks_init(&stacks);
	for (int turn = 0; turn < 2; turn++, stack = turn < 2 ? STACK_NONE : stack)
		for (uint32_t i = 1; i <= DEPTH; i++) {
			stack = stacks_add(&stacks, stack, 0x1000, 0);
			assert_int_equal(stack, i);
		}
	assert_int_equal(stacks_depth(&stacks, stack), DEPTH);
	stacks_release(&stacks);
}
