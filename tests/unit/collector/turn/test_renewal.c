/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/turn/renewal.c: when programs are asked to define their stacks again, and when the
 * others are forgotten.
 */
#include "tests/unit/unit.h"
#include "collector/format/stack_table.h"
#include "collector/turn/renewal.h"

#define MS 1000000ull
#define START_NS (10000 * MS)
#define SMALL_BYTES 1u /* of a region: the table has its smallest limit */

static struct renewal renewal;
static struct region_header header;
static struct frame_writer *fw;

static int setup(void **state)
{
	fw = frame_writer_new();
	header = (struct region_header){ 0 };
	if (!fw)
		return -1;
	renewal_init(&renewal, fw, SMALL_BYTES);
	return 0;
}

static int teardown(void **state)
{
	frame_writer_free(fw);
	return 0;
}

/* Stacks of one frame, with ids from `first` on. */
static void define(uint32_t first, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		stack_table_define(frame_stacks(fw), first + i, 0, 0x400000 + first + i, 0);
}

static unsigned int asked(uint64_t at_ns)
{
	renewal_turn(&renewal, fw, &header, at_ns);
	return (unsigned int)atomic_load(&header.stacks_asked);
}

TEST_BOTH(the_region_bounds_the_table, setup, teardown)
{
	uint32_t least = frame_stacks(fw)->limit;

	assert_true(least > 0 && least < STACK_DEFINITIONS_MAX);
	renewal_init(&renewal, fw, 1ull << 40);
	assert_int_equal(frame_stacks(fw)->limit, STACK_DEFINITIONS_MAX - 1);
	renewal_init(&renewal, fw, SMALL_BYTES);
	assert_int_equal(frame_stacks(fw)->limit, least);
}

TEST_BOTH(it_asks_when_the_table_is_half_full, setup, teardown)
{
	uint32_t half = frame_stacks(fw)->limit / 2;

	assert_int_equal(asked(START_NS), 0);
	define(1, half - 1);
	assert_int_equal(asked(START_NS + MS), 0);
	define(half, 1);
	assert_int_equal(asked(START_NS + 2 * MS), 1);
}

/* Two cuts of the rings and a fifth of a second: sooner, a thread may not have heard of it. */
TEST_BOTH(what_is_not_defined_again_is_forgotten_in_time, setup, teardown)
{
	uint32_t half = frame_stacks(fw)->limit / 2;

	define(1, half);
	assert_int_equal(asked(START_NS), 1);
	define(1, 100);
	assert_int_equal(asked(START_NS + 300 * MS), 1);
	assert_int_equal(stack_table_count(frame_stacks(fw)), half);
	assert_int_equal(asked(START_NS + 301 * MS), 1);
	assert_int_equal(stack_table_count(frame_stacks(fw)), 100);
	assert_int_equal(asked(START_NS + 302 * MS), 1);
}

TEST_BOTH(many_cuts_in_no_time_are_not_enough, setup, teardown)
{
	uint32_t half = frame_stacks(fw)->limit / 2;

	define(1, half);
	for (unsigned int i = 0; i < 50; i++)
		asked(START_NS + i * MS);
	assert_int_equal(stack_table_count(frame_stacks(fw)), half);
}

/* Definitions found no room: it asks again, each time after twice the pause. */
TEST_BOTH(pauses_double_while_the_table_is_too_small, setup, teardown)
{
	uint32_t limit = frame_stacks(fw)->limit;
	uint64_t at_ns = START_NS, last_ns = 0, pause_ns = 0;
	unsigned int questions = 0;

	for (unsigned int i = 0; i < 400; i++, at_ns += 100 * MS) {
		unsigned int before = questions;

		define(1, limit + 10);
		questions = asked(at_ns);
		if (questions == before)
			continue;
		if (pause_ns)
			assert_true(at_ns - last_ns >= pause_ns);
		pause_ns = questions > 1 ? 2 * (at_ns - last_ns) - 300 * MS : 0;
		last_ns = at_ns;
	}
	assert_in_range(questions, 4, 10);
}
