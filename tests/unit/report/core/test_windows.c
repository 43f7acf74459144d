/* SPDX-License-Identifier: MIT */
/* links: report */
/* report/core/windows.c: stretches of time against a plain list as the truth. */
#include "tests/unit/unit.h"
#include "report/core/windows.h"

static struct windows windows;

static void add(uint32_t file, uint32_t process, uint64_t from_ns, uint64_t to_ns)
{
	windows_add(&windows,
		    &(struct window){
			    .file = file, .process = process, .from_ns = from_ns, .to_ns = to_ns });
}

static int teardown(void **state)
{
	windows_release(&windows);
	windows = (struct windows){ .count = 0 };
	return 0;
}

TEST_TEAR_DOWN(none_hold_nothing, teardown)
{
	windows_settle(&windows);
	assert_false(windows_hold(&windows, 0, 0, 0));
}

/* A window of one thread holds what that thread did; one of the process what any did. */
TEST_TEAR_DOWN(threads_have_windows_of_their_own, teardown)
{
	add(0, 1, 10, 20);
	windows_add(&windows,
		    &(struct window){ .process = 1, .thread = 7, .from_ns = 15, .to_ns = 40 });
	windows_settle(&windows);
	assert_int_equal(windows.count, 2);
	assert_true(windows_hold_thread(&windows, 0, 1, 8, 12));
	assert_false(windows_hold_thread(&windows, 0, 1, 8, 30));
	assert_true(windows_hold_thread(&windows, 0, 1, 7, 30));
	assert_false(windows_hold_thread(&windows, 0, 1, 7, 40));
	assert_false(windows_hold(&windows, 0, 1, 30));
}

TEST_TEAR_DOWN(the_end_is_outside, teardown)
{
	add(0, 1, 10, 20);
	windows_settle(&windows);
	assert_false(windows_hold(&windows, 0, 1, 9));
	assert_true(windows_hold(&windows, 0, 1, 10));
	assert_true(windows_hold(&windows, 0, 1, 19));
	assert_false(windows_hold(&windows, 0, 1, 20));
	assert_false(windows_hold(&windows, 0, 2, 15));
	assert_false(windows_hold(&windows, 1, 1, 15));
}

TEST_TEAR_DOWN(steps_that_follow_each_other_are_one, teardown)
{
	add(0, 1, 30, 40);
	add(0, 1, 10, 20);
	add(0, 1, 20, 30);
	add(0, 1, 50, 60);
	add(0, 2, 60, 70);
	windows_settle(&windows);
	assert_int_equal(windows.count, 3);
	assert_true(windows_hold(&windows, 0, 1, 35));
	assert_false(windows_hold(&windows, 0, 1, 45));
	assert_true(windows_hold(&windows, 0, 2, 60));
	assert_false(windows_hold(&windows, 0, 1, 60));
}

static uint32_t number = 12345;

static uint32_t random_below(uint32_t limit)
{
	number = number * 1664525u + 1013904223u;
	return (number >> 8) % limit;
}

TEST_TEAR_DOWN(any_are_as_in_a_list, teardown)
{
	struct window list[40];

	for (unsigned int round = 0; round < 200; round++) {
		for (unsigned int i = 0; i < 40; i++) {
			uint64_t from_ns = random_below(300);

			list[i] = (struct window){ .file = random_below(2),
						   .process = random_below(3),
						   .from_ns = from_ns,
						   .to_ns = from_ns + random_below(30) };
			windows_add(&windows, &list[i]);
		}
		windows_settle(&windows);
		for (uint32_t at = 0; at < 2 * 3 * 340; at++) {
			uint32_t file = at % 2, process = at / 2 % 3;
			uint64_t time_ns = at / 6;
			bool holds = false;

			for (unsigned int i = 0; i < 40; i++)
				holds |= list[i].file == file && list[i].process == process &&
					 time_ns >= list[i].from_ns && time_ns < list[i].to_ns;
			assert_int_equal(windows_hold(&windows, file, process, time_ns), holds);
		}
		(void)teardown(NULL);
	}
}
