/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/samples/open_looks.c: what was seen since a call began, of calls in calls, of another
 * stack, of very long ones.
 */
#include "tests/unit/unit.h"
#include "report/samples/open_looks.h"

static struct open_looks looks;

static void add(uint64_t time_ns, uint64_t place, uint64_t row)
{
	open_looks_add(&looks, place, row,
		       &(struct open_look){ .time_ns = time_ns, .all_ns = 10, .python_ns = 4 });
}

static int start(void **state)
{
	looks = (struct open_looks){ 0 };
	return 0;
}

TEST_SET_UP(those_since_the_begin, start)
{
	assert_int_equal(open_looks_take(&looks, 0).all_ns, 0);
	for (uint64_t i = 1; i <= 5; i++)
		add(100 * i, 1, 1);
	assert_int_equal(open_looks_take(&looks, 501).all_ns, 0);
	assert_int_equal(open_looks_take(&looks, 400).all_ns,
			 20); /* a call inside of another one */
	assert_int_equal(open_looks_take(&looks, 200).python_ns, 8);
	assert_int_equal(open_looks_take(&looks, 0).all_ns, 10);
	assert_int_equal(open_looks_take(&looks, 0).all_ns, 0);
}

TEST_SET_UP(another_stack_ends_them, start)
{
	add(100, 1, 1);
	add(200, 2, 1);
	add(300, 2, 1);
	assert_int_equal(open_looks_take(&looks, 0).all_ns, 20);
	add(400, 2, 1);
	add(500, 2, 3);
	assert_int_equal(looks.row, 3);
	assert_int_equal(open_looks_take(&looks, 0).all_ns, 10);
}

/* Nothing is lost of them, and the begin is off by what one place stands for. */
TEST_SET_UP(long_ones_are_coarser, start)
{
	const uint64_t all = 100000;

	for (uint64_t i = 1; i <= all; i++)
		add(i, 1, 1);
	assert_true(looks.count <= OPEN_LOOKS);
	assert_in_range(open_looks_take(&looks, all / 2).all_ns, 10 * all * 44 / 100,
			10 * all * 56 / 100);
	assert_in_range(open_looks_take(&looks, 0).all_ns, 10 * all * 44 / 100,
			10 * all * 56 / 100);
	start(unit_state);
	for (uint64_t i = 1; i <= all; i++)
		add(i, 1, 1);
	assert_int_equal(open_looks_take(&looks, 0).all_ns, 10 * all);
}
