/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/core/detail.c: which steps lie in a window of detail, by process. */

#include "tests/unit/unit.h"

#include "report/core/detail.h"

/*
 * A window begins just before the event of its first step, and ends just after that behind its
 * last.
 */
TEST(steps_within_windows_have_detail)
{
	struct detail detail = { .process = NULL };

	detail_take_step(&detail, 3, 100, true);
	detail_take_step(&detail, 3, 200, true); /* before the first edge: with detail */
	detail_take(&detail, 3, 201, false);
	assert_false(detail_covers(&detail, 3, 250));
	detail_take_step(&detail, 3, 300, true); /* without */
	detail_take(&detail, 3, 399, true);
	detail_take_step(&detail, 3, 400, true); /* its last moment is not enough */
	assert_true(detail_covers(&detail, 3, 400));
	assert_false(detail_covers(&detail, 3, 300));
	detail_take_step(&detail, 3, 500, true);  /* with */
	detail_take_step(&detail, 3, 600, false); /* the filters do not hold */
	assert_int_equal(detail.steps, 4);
	assert_int_equal(detail.detailed, 2);
	assert_int_equal(detail.until_ns, 201);
	detail_release(&detail);
}

TEST(processes_have_windows_of_their_own)
{
	struct detail detail = { .process = NULL };

	detail_take(&detail, 5, 700, false);
	detail_take(&detail, 1, 600, false);
	detail_take(&detail, 1, 800, true);
	assert_int_equal(detail.until_ns, 600);
	assert_true(detail_is_unbroken(&detail, 0));
	assert_true(detail_is_unbroken(&detail, 1000));
	assert_false(detail_is_unbroken(&detail, 1));
	assert_true(detail_covers(&detail, 1, 800));
	assert_false(detail_covers(&detail, 5, 900));
	assert_true(detail_covers(&detail, 1000, 0));
	detail_release(&detail);
}

TEST(windows_of_time_add_up)
{
	struct detail detail = { .process = NULL };
	struct detail_time time;

	assert_false(detail_take_time(&detail, 2, 1000, 1500, true)); /* it is on already */
	assert_int_equal(detail_time_of(&detail, 2, 9000).windows, 0);
	assert_true(detail_take_time(&detail, 2, 1000, 3000, false));
	assert_false(detail_covers(&detail, 2, 2000));
	assert_int_equal(detail.until_ns, 3000);
	assert_true(detail_take_time(&detail, 2, 1000, 7000, true));
	assert_true(detail_covers(&detail, 2, 7000));
	time = detail_time_of(&detail, 2, 9000);
	assert_int_equal(time.on_ns, 4000);
	assert_int_equal(time.all_ns, 8000);
	assert_int_equal(time.windows, 2);
	/* the first step ends that */
	detail_take_step(&detail, 2, 10000, true);
	assert_false(detail_take_time(&detail, 2, 1000, 11000, false));
	time = detail_time_of(&detail, 2, 90000);
	assert_int_equal(time.on_ns, 5000);
	assert_int_equal(time.all_ns, 9000);
	detail_release(&detail);
}

TEST(nothing_has_detail_before_a_capture)
{
	struct detail detail = { .kind = DETAIL_OF_CAPTURES };

	assert_false(detail_covers(&detail, 4, 100));
	detail_take(&detail, 4, 200, true);
	assert_true(detail_covers(&detail, 4, 200));
	detail_take(&detail, 4, 300, false);
	assert_false(detail_covers(&detail, 4, 250));
	assert_false(detail_is_unbroken(&detail, 4));
	assert_int_equal(detail.captures, 1);
	detail_release(&detail);
}
