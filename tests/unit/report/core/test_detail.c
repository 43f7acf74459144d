/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/core/detail.c: which steps lie in a window of detail, by process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/core/detail.h"

/*
 * A window begins just before the event of its first step, and ends just after that behind its
 * last.
 */
static void steps_within_windows_have_detail(void **state)
{
	struct detail detail = { .process = NULL };

	(void)state;
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

static void processes_have_windows_of_their_own(void **state)
{
	struct detail detail = { .process = NULL };

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_within_windows_have_detail),
		cmocka_unit_test(processes_have_windows_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
