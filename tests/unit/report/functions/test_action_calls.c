/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/functions/action_calls.c: calls in actions that nest, overlap, recur, end within calls, or
 * never end.
 */
#include "tests/unit/unit.h"
#include "report/functions/action_calls.h"

enum { OUTER = 7, INNER = 8, F = 1, G = 2 };

static struct action_calls actions;

static int begin(void **state)
{
	action_calls_init(&actions);
	return 0;
}

static int end(void **state)
{
	action_calls_release(&actions);
	return 0;
}

static struct nest_place at(uint64_t time_ns)
{
	return (struct nest_place){ .time_ns = time_ns, .thread = 3 };
}

static void enter(uint64_t time_ns, uint32_t function)
{
	action_calls_enter(&actions, &(struct call){ .time_ns = time_ns,
						     .thread = 3,
						     .function = function,
						     .counts = true });
}

static void leave(uint64_t time_ns, uint32_t function)
{
	action_calls_return(
		&actions, &(struct call){ .time_ns = time_ns, .thread = 3, .function = function });
}

static void has(uint32_t action, uint32_t function, const struct call_counts *want)
{
	const struct call_row *found = NULL;

	for (size_t i = 0; i < actions.calls.row_count; i++)
		if (actions.calls.row[i].key == action + 1 &&
		    actions.calls.row[i].function == function)
			found = &actions.calls.row[i];
	assert_non_null(found);
	assert_int_equal(found->counts.calls, want->calls);
	assert_int_equal(found->counts.recursive, want->recursive);
	assert_int_equal(found->counts.open, want->open);
	assert_int_equal(found->counts.self_ns, want->self_ns);
	assert_int_equal(found->counts.total_ns, want->total_ns);
}

TEST_BOTH(a_call_counts_in_all_that_are_open, begin, end)
{
	enter(0, F); /* in none */
	action_calls_begin(&actions, at(10), OUTER);
	assert_true(action_calls_any(&actions, 3));
	assert_false(action_calls_any(&actions, 4));
	enter(20, F);
	action_calls_begin(&actions, at(30), INNER);
	enter(40, F);
	leave(50, F);
	action_calls_end(&actions, at(60), INNER);
	leave(70, F);
	action_calls_end(&actions, at(80), OUTER);
	leave(90, F);
	has(OUTER, F,
	    &(struct call_counts){ .calls = 2, .recursive = 1, .self_ns = 50, .total_ns = 50 });
	has(INNER, F, &(struct call_counts){ .calls = 1, .self_ns = 10, .total_ns = 10 });
	assert_int_equal(actions.calls.row_count, 2);
	assert_int_equal(actions.calls.pair_count, 1);
}

TEST_BOTH(what_is_open_is_over_with_the_action, begin, end)
{
	action_calls_begin(&actions, at(0), OUTER);
	enter(10, F);
	action_calls_end(&actions, at(30), OUTER);
	action_calls_begin(&actions, at(40), OUTER);
	enter(50, F); /* not called by the first */
	leave(60, F);
	leave(70, F);
	action_calls_end(&actions, at(80), OUTER);
	has(OUTER, F, &(struct call_counts){ .calls = 2, .self_ns = 30, .total_ns = 30 });
	assert_int_equal(actions.calls.pair_count, 0);
}

TEST_BOTH(one_name_counts_once, begin, end)
{
	action_calls_begin(&actions, at(0), OUTER);
	action_calls_begin(&actions, at(5), OUTER);
	enter(10, F);
	leave(20, F);
	action_calls_end(&actions, at(25), OUTER);
	enter(30, F);
	leave(40, F);
	action_calls_end(&actions, at(45), OUTER);
	action_calls_end(&actions, at(46), OUTER); /* of none */
	enter(50, F);
	leave(60, F);
	has(OUTER, F, &(struct call_counts){ .calls = 2, .self_ns = 20, .total_ns = 20 });
}

TEST_BOTH(actions_may_overlap, begin, end)
{
	action_calls_begin(&actions, at(0), OUTER);
	action_calls_begin(&actions, at(5), INNER);
	enter(10, F);
	action_calls_end(&actions, at(20), OUTER);
	enter(30, G);
	leave(40, G);
	leave(50, F);
	action_calls_end(&actions, at(60), INNER);
	has(OUTER, F, &(struct call_counts){ .calls = 1, .self_ns = 10, .total_ns = 10 });
	has(INNER, F, &(struct call_counts){ .calls = 1, .self_ns = 30, .total_ns = 40 });
	has(INNER, G, &(struct call_counts){ .calls = 1, .self_ns = 10, .total_ns = 10 });
	assert_int_equal(actions.calls.row_count, 3);
}

TEST_BOTH(a_cut_ends_actions_and_their_calls, begin, end)
{
	action_calls_begin(&actions, at(0), OUTER);
	enter(10, F);
	action_calls_cut(&actions, at(30), NEST_CUT);
	has(OUTER, F,
	    &(struct call_counts){ .calls = 1, .open = 1, .self_ns = 20, .total_ns = 20 });
	enter(40, F);
	assert_int_equal(actions.calls.row[0].counts.calls, 1);
	action_calls_begin(&actions, at(50), OUTER);
	enter(60, F);
	action_calls_cut(&actions, at(90), NEST_RUNS_ON);
	has(OUTER, F,
	    &(struct call_counts){ .calls = 2, .open = 2, .self_ns = 20, .total_ns = 20 });
}

/* Of a file that has nothing else a call would take as long as all of it. */
TEST_BOTH(the_deepest_are_none, begin, end)
{
	for (uint32_t name = 0; name < ACTION_DEPTH_MAX + 50; name++)
		action_calls_begin(&actions, at(name), name);
	enter(1000, F);
	leave(1010, F);
	assert_int_equal(actions.calls.row_count, ACTION_DEPTH_MAX);
	for (uint32_t name = ACTION_DEPTH_MAX + 50; name--;)
		action_calls_end(&actions, at(1020), name);
	assert_false(action_calls_any(&actions, 3));
	action_calls_begin(&actions, at(1030), 1);
	enter(1040, F);
	leave(1050, F);
	has(1, F, &(struct call_counts){ .calls = 2, .self_ns = 20, .total_ns = 20 });
}
