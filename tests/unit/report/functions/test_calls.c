/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/functions/calls.c: recursion, callers, calls that end out of order, keys, cuts. */
#include "tests/unit/unit.h"
#include "report/functions/calls.h"

static struct calls calls;

static int begin(void **state)
{
	calls_init(&calls);
	return 0;
}

static int end(void **state)
{
	calls_release(&calls);
	return 0;
}

static void enter(uint64_t time_ns, uint32_t function)
{
	calls_enter(&calls,
		    &(struct call){ .time_ns = time_ns, .function = function, .counts = true });
}

static void leave(uint64_t time_ns, uint32_t function)
{
	calls_return(&calls, &(struct call){ .time_ns = time_ns, .function = function });
}

static void has(const struct call_counts *counts, uint64_t number, uint64_t recursive,
		uint64_t self_ns, uint64_t total_ns)
{
	assert_int_equal(counts->calls, number);
	assert_int_equal(counts->recursive, recursive);
	assert_int_equal(counts->self_ns, self_ns);
	assert_int_equal(counts->total_ns, total_ns);
}

TEST_BOTH(recursion_counts_its_time_once, begin, end)
{
	enter(0, 7);
	enter(10, 8);
	enter(20, 8);
	enter(30, 8);
	leave(40, 8);
	leave(50, 8);
	leave(60, 8);
	leave(100, 7);
	assert_int_equal(calls.row_count, 2);
	has(&calls.row[0].counts, 1, 0, 50, 100);
	has(&calls.row[1].counts, 3, 2, 50, 50);
	assert_int_equal(calls.pair_count, 2);
	has(&calls.pair[0].counts, 1, 0, 20, 50); /* of 7 */
	has(&calls.pair[1].counts, 2, 1, 30, 30); /* of itself */
}

TEST_BOTH(a_return_below_others_ends_them, begin, end)
{
	enter(0, 1);
	enter(10, 2);
	enter(20, 3);
	leave(30, 1);
	leave(40, 2);
	assert_int_equal(calls.out_of_order, 2);
	assert_int_equal(calls.unmatched, 1);
	has(&calls.row[0].counts, 1, 0, 10, 30);
	has(&calls.row[2].counts, 1, 0, 10, 10);
}

TEST_BOTH(keys_have_rows_of_their_own, begin, end)
{
	for (uint64_t key = 0; key < 3; key++) {
		calls_enter(&calls,
			    &(struct call){ .key = key * (UINT64_MAX / 2), .counts = true });
		leave(5, 0);
	}
	assert_int_equal(calls.row_count, 3);
	assert_int_equal(calls.row[2].key, UINT64_MAX - 1);
}

TEST_BOTH(what_does_not_count_is_followed, begin, end)
{
	enter(0, 1);
	calls_enter(&calls, &(struct call){ .time_ns = 10, .function = 2 });
	enter(20, 3);
	leave(30, 3);
	leave(40, 2);
	leave(50, 1);
	assert_int_equal(calls.row_count, 2);
	has(&calls.row[0].counts, 1, 0, 20, 50);
	assert_int_equal(calls.pair_count, 0);
}

TEST_BOTH(a_cut_ends_all, begin, end)
{
	enter(0, 1);
	enter(10, 2);
	calls_cut(&calls, 5, 20, NEST_CUT); /* a thread that was never seen */
	calls_cut(&calls, 0, 20, NEST_CUT);
	has(&calls.row[0].counts, 1, 0, 10, 20);
	assert_int_equal(calls.row[1].counts.open, 1);
	enter(30, 1);
	calls_cut(&calls, 0, 90, NEST_RUNS_ON);
	has(&calls.row[0].counts, 2, 0, 10, 20);
	leave(95, 1);
	assert_int_equal(calls.unmatched, 1);
}

/*
 * Two stacks of a thread call the same function; each counts its own time only, whoever returns
 * first.
 */
TEST_BOTH(stacks_stand_still_while_another_runs, begin, end)
{
	enter(0, 7);
	calls_switch(&calls, 0, 100, 0x1000, 0x2000);
	enter(100, 7);
	enter(110, 8);
	calls_switch(&calls, 0, 150, 0x2000, 0x1000);
	leave(160, 7); /* 100 + 10 */
	calls_switch(&calls, 0, 200, 0x1000, 0x2000);
	leave(230, 8); /* 40 + 30 */
	leave(240, 7); /* 50 + 40 */
	assert_int_equal(calls.out_of_order, 0);
	assert_int_equal(calls.unmatched, 0);
	has(&calls.row[0].counts, 2, 0, 110 + 90 - 70, 110 + 90);
	has(&calls.row[1].counts, 1, 0, 70, 70);
}

/* What is still open on all stacks ends with the thread, without the time that it stood still. */
TEST_BOTH(all_stacks_end_with_the_thread, begin, end)
{
	enter(0, 7);
	calls_switch(&calls, 0, 100, 0x1000, 0x2000);
	enter(100, 8);
	calls_switch(&calls, 0, 300, 0, 0x2000); /* it was there */
	calls_cut(&calls, 0, 400, NEST_ENDS);
	has(&calls.row[0].counts, 1, 0, 100, 100);
	has(&calls.row[1].counts, 1, 0, 300, 300);
}
