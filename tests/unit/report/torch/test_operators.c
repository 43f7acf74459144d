/* SPDX-License-Identifier: MIT */
/* links: report */
/*
 * report/torch/operators.c, operator_names.c, flops.c: nesting, folding, work inside, gaps, FLOPs.
 */
#include "tests/unit/unit.h"
#include "report/torch/flops.h"
#include "report/torch/operator_names.h"
#include "report/torch/operators.h"

enum { A = 1, B, C, HIDDEN }; /* names */

static struct operators operators;
static const struct nest_place first = { 0, 0, 0, 0, NULL, 0 }, second = { 0, 1, 0, 0, NULL, 0 },
			       child = { 0, 2, 1, 0, NULL, 0 };

static struct nest_place at(struct nest_place place, uint64_t time_ns)
{
	place.time_ns = time_ns;
	return place;
}

static void begin_at(struct nest_place place, uint64_t time_ns, uint32_t name)
{
	operators_begin(&operators, &(struct operator_opening){ .place = at(place, time_ns),
								.name = name,
								.hidden = name == HIDDEN,
								.counts = true });
}

static void end_at(struct nest_place place, uint64_t time_ns)
{
	operators_end(&operators, at(place, time_ns));
}

static void begin(uint64_t time_ns, uint32_t name)
{
	begin_at(first, time_ns, name);
}

static void end(uint64_t time_ns)
{
	end_at(first, time_ns);
}

/* The process of `first` and `second`. */
static void cut_process(uint64_t time_ns)
{
	operators_cut(&operators, at(first, time_ns), NEST_CUT);
	operators_cut(&operators, at(second, time_ns), NEST_CUT);
}

static int start(void **state)
{
	operators_init(&operators, false);
	return 0;
}

static int stop(void **state)
{
	operators_release(&operators);
	return 0;
}

static const struct operator_row *row_of(uint32_t name)
{
	for (size_t i = 0; i < operators.row_count; i++)
		if (operators.row[i].name == name && operators.row[i].calls)
			return &operators.row[i];
	fail_msg("no row of name %u", name);
	return NULL;
}

static uint64_t calls_of(uint32_t name)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < operators.row_count; i++)
		if (operators.row[i].name == name)
			calls += operators.row[i].calls;
	return calls;
}

static void begin_of_user(uint64_t time_ns, uint32_t name)
{
	operators_begin(&operators, &(struct operator_opening){ .place = at(first, time_ns),
								.name = name,
								.scope = EVT_SCOPE_USER,
								.counts = true });
}

/*
 * User scopes have the same rows, their children are as long, and what is open is as deep, whoever
 * has rows.
 */
TEST_BOTH(rows_are_of_whom_they_are_asked, start, stop)
{
	static const enum operators_kept all[] = { OPERATORS_FOLLOWED, OPERATORS_OF_USER,
						   OPERATORS_ALL };
	uint32_t name;

	for (size_t i = 0; i < 3; i++) {
		stop(unit_state);
		start(unit_state);
		operators.kept = all[i];
		begin_of_user(100, A);
		begin(110, B);
		assert_true(operators_innermost(&operators, 0, &name));
		assert_int_equal(name, B);
		end(130);
		end(200);
		operators_add_apart(&operators,
				    &(struct operator_opening){ .place = at(first, 300),
								.name = C,
								.scope = EVT_SCOPE_USER,
								.counts = true },
				    310);
		assert_false(operators_innermost(&operators, 0, &name));
		assert_int_equal(operators.unmatched, 0);
		assert_int_equal(calls_of(B), all[i] == OPERATORS_ALL);
		assert_int_equal(calls_of(A) + calls_of(C), all[i] == OPERATORS_FOLLOWED ? 0 : 2);
		if (all[i] == OPERATORS_FOLLOWED)
			continue;
		assert_int_equal(row_of(A)->total.ns, 100);
		assert_int_equal(row_of(A)->self.ns, 80);
		assert_int_equal(row_of(C)->total.ns, 10);
	}
}

TEST_BOTH(self_is_total_without_children, start, stop)
{
	begin(100, A);
	begin(110, B);
	begin_at(second, 112, B); /* another thread's is no child */
	begin(115, C);
	end(120);
	end(130);
	begin(140, B);
	end(145);
	end(200);
	end_at(second, 222);
	assert_int_equal(row_of(A)->total.ns, 100);
	assert_int_equal(row_of(A)->self.ns, 75);
	assert_int_equal(row_of(B)->calls, 3);
	assert_int_equal(row_of(B)->total.ns, 20 + 5 + 110);
	assert_int_equal(row_of(B)->self.ns, 15 + 5 + 110);
	assert_int_equal(row_of(B)->threads, 2);
	assert_int_equal(row_of(B)->time.min_ns, 5);
	assert_int_equal(row_of(B)->time.max_ns, 110);
	assert_int_equal(row_of(C)->self.ns, 5);
	assert_int_equal(row_of(C)->threads, 1);
	assert_int_equal(operators.unmatched, 0);
}

/* A > A > A > (B, B): one call of A with two children. */
TEST_BOTH(chains_of_only_children_are_one_call, start, stop)
{
	begin(0, A);
	begin(10, A);
	begin(20, A);
	begin(30, B);
	end(40);
	begin(50, B);
	end(55);
	end(80);
	end(90);
	end(100);
	assert_int_equal(row_of(A)->calls, 1);
	assert_int_equal(row_of(A)->total.ns, 100);
	assert_int_equal(row_of(A)->self.ns, 85);
	assert_int_equal(row_of(B)->calls, 2);
}

TEST_BOTH(children_with_siblings_are_calls_of_their_own, start, stop)
{
	begin(0, A); /* the child comes first */
	begin(10, A);
	end(20);
	begin(30, B);
	end(40);
	end(50);
	assert_int_equal(row_of(A)->calls, 2);
	assert_int_equal(row_of(A)->total.ns, 60);
	assert_int_equal(row_of(A)->self.ns, 40);
	begin(100, C); /* and last */
	begin(110, B);
	end(120);
	begin(130, C);
	end(140);
	end(150);
	assert_int_equal(row_of(C)->calls, 2);
	begin(200, C); /* two of the name */
	begin(210, C);
	end(220);
	begin(230, C);
	end(240);
	end(250);
	assert_int_equal(row_of(C)->calls, 5);
	assert_int_equal(row_of(C)->self.ns, 30 + 10 + 30 + 10 + 10);
}

TEST_BOTH(hidden_ones_are_neither_rows_nor_parents, start, stop)
{
	begin(0, A);
	begin(10, HIDDEN);
	operators_note(&operators, first.thread, &(struct operator_work){ .cpu_bytes = 64 });
	begin(20, B);
	end(30);
	end(40);
	end(100);
	assert_int_equal(calls_of(HIDDEN), 0);
	assert_int_equal(row_of(A)->self.ns, 90);
	assert_int_equal(row_of(A)->self.cpu_bytes, 64);
	begin(200, A); /* hidden siblings do not count: B is an only child, and it is not A */
	begin(210, HIDDEN);
	end(215);
	begin(220, A);
	end(230);
	end(250);
	assert_int_equal(row_of(A)->calls, 2);
	assert_int_equal(row_of(A)->self.ns, 90 + 50);
}

TEST_BOTH(work_belongs_to_the_innermost_of_its_thread, start, stop)
{
	const struct operator_work allocated = { .cpu_bytes = 100, .launches = 1 },
				   freed = { .cpu_bytes = (uint64_t)-300 };
	uint32_t name;

	operators_note(&operators, first.thread, &allocated); /* outside of any */
	begin(0, A);
	operators_note(&operators, first.thread, &allocated);
	begin(10, B);
	assert_true(operators_innermost(&operators, first.thread, &name));
	assert_int_equal(name, B);
	assert_false(operators_innermost(&operators, second.thread, &name));
	operators_note(&operators, first.thread, &freed);
	operators_note(&operators, second.thread, &allocated); /* by the thread, not by the time */
	end(20);
	end(30);
	assert_int_equal((int64_t)row_of(A)->self.cpu_bytes, 100);
	assert_int_equal((int64_t)row_of(A)->total.cpu_bytes, -200);
	assert_int_equal((int64_t)row_of(B)->self.cpu_bytes, -300);
	assert_int_equal(row_of(A)->self.launches, 1);
	assert_int_equal(row_of(B)->total.launches, 0);
}

TEST_BOTH(a_folded_child_gives_its_work_to_its_parent, start, stop)
{
	begin(0, A);
	begin(10, A);
	operators_note(&operators, first.thread, &(struct operator_work){ .cuda_calls = 2 });
	begin(20, B);
	operators_note(&operators, first.thread, &(struct operator_work){ .cuda_calls = 1 });
	end(30);
	end(40);
	end(50);
	assert_int_equal(row_of(A)->self.cuda_calls, 2);
	assert_int_equal(row_of(A)->total.cuda_calls, 3);
}

TEST_BOTH(ends_after_a_gap_are_of_what_was_not_seen, start, stop)
{
	end(5);
	begin(10, A);
	begin(20, B);
	begin_at(second, 25, C);
	cut_process(40);
	cut_process(60); /* recording goes on: nothing new is open */
	end(70);         /* of what began while nothing was recorded */
	begin(80, C);
	end(90);
	end_at(second, 95);
	assert_int_equal(operators.unmatched, 3);
	assert_int_equal(row_of(A)->open, 1);
	assert_int_equal(row_of(C)->calls, 2);
	assert_int_equal(row_of(C)->open, 1);
}

TEST_BOTH(a_cut_of_one_process_leaves_the_others, start, stop)
{
	begin(10, A);
	begin_at(child, 10, A);
	cut_process(40);
	end_at(child, 50);
	end(50);
	assert_int_equal(row_of(A)->calls, 2);
	assert_int_equal(row_of(A)->total.ns, 30 + 40);
	assert_int_equal(operators.unmatched, 1);
	begin_at(child, 60, B);
	operators_cut(&operators, at(child, 65), NEST_CUT);
	assert_int_equal(row_of(B)->total.ns, 5);
}

TEST_BOTH(what_is_open_at_the_end_is_told, start, stop)
{
	begin(10, A);
	begin(20, A);
	end(30);
	operators_cut(&operators, at(first, 50), NEST_CUT);
	assert_int_equal(row_of(A)->calls, 1);
	assert_int_equal(row_of(A)->open, 1);
	assert_int_equal(row_of(A)->total.ns, 40);
	begin_at(second, 10, B); /* runs on */
	begin_at(second, 10, C);
	end_at(second, 20);
	operators_cut(&operators, at(second, 100), NEST_RUNS_ON);
	assert_int_equal(row_of(B)->open, 1);
	assert_int_equal(row_of(B)->total.ns, 0);
	assert_int_equal(row_of(C)->total.ns, 10);
}

TEST_BOTH(shapes_make_rows_of_their_own, start, stop)
{
	operators.by_shapes = true;
	for (uint32_t shapes = 7; shapes < 9; shapes++) {
		begin(10, A);
		operators_describe(&operators, first.thread, shapes, 50);
		end(20);
	}
	begin(30, A); /* without */
	end(31);
	assert_int_equal(calls_of(A), 3);
	assert_int_equal(operators.row_count, 3);
	assert_int_equal(operators.row[1].shapes, 7);
	assert_int_equal(operators.row[1].flops, 50);
	assert_int_equal(operators.row[2].shapes, 8);
	operators_describe(&operators, first.thread, 7, 50); /* of nothing */
}

TEST_BOTH(endless_nesting_takes_no_memory, start, stop)
{
	for (uint64_t i = 0; i < 1000000; i++)
		begin(i, i % 2 ? A : B);
	for (uint64_t i = 0; i < 1000000; i++)
		end(1000000 + i);
	assert_int_equal(calls_of(A) + calls_of(B), OPERATOR_DEPTH_MAX);
	assert_int_equal(operators.unmatched, 0);
	assert_true(operators.open_room <= 2 * OPERATOR_DEPTH_MAX);
}

TEST_BOTH(times_that_go_backwards_are_no_time, start, stop)
{
	begin(100, A);
	begin(110, B);
	end(150);
	end(90);
	assert_int_equal(row_of(A)->total.ns, 0);
	assert_int_equal(row_of(A)->self.ns, 0);
	assert_int_equal(row_of(B)->total.ns, 40);
}

static struct operator_text text_of(const char *text)
{
	return (struct operator_text){ text, strlen(text) };
}

static uint64_t flops_of_name(struct operator_names *names, uint32_t index, const char *shapes)
{
	return operator_flops_of(names, index,
				 &(struct operator_inputs){ 3, 0, text_of(shapes), text_of("") });
}

TEST(names_follow_torch_profiler)
{
	struct operator_names names;
	bool hidden;

	operator_names_init(&names);
	assert_int_equal(operator_name_of(&names, 5, text_of("aten::add"), &hidden), 5);
	assert_false(hidden);
	assert_int_equal(operator_name_of(&names, 6, text_of("aten::is_leaf"), &hidden), 6);
	assert_true(hidden);
	assert_int_equal(operator_name_of(&names, 7, text_of("ProfilerStep#1"), &hidden), 7);
	assert_int_equal(operator_name_of(&names, 9, text_of("ProfilerStep#2"), &hidden), 7);
	assert_string_equal(operator_text_shown(text_of("ProfilerStep#2")).text, "ProfilerStep*");
	/* its text comes late */
	assert_int_equal(operator_name_of(&names, 8, (struct operator_text){ 0 }, &hidden), 8);
	assert_false(hidden);
	assert_int_equal(operator_name_of(&names, 8, text_of("aten::_version"), &hidden), 8);
	assert_true(hidden);
	operator_name_of(&names, 10, text_of("aten::mm"), &hidden);
	assert_int_equal(flops_of_name(&names, 10, "[[2, 3], [3, 4]]"), 48);
	assert_int_equal(flops_of_name(&names, 10, "kept by number"), 48);
	assert_int_equal(flops_of_name(&names, 5, "[[2, 3], [2, 3], []]"), 6);
	assert_int_equal(flops_of_name(&names, 99, "[[2, 3]]"), 0);
	operator_names_release(&names);
}

static uint64_t flops(const char *name, const char *shapes)
{
	return flops_of_inputs(flops_kind_of(name, strlen(name)),
			       &(struct flops_inputs){ shapes, strlen(shapes), "", 0 });
}

static uint64_t conv_flops(const char *shapes, const char *integers)
{
	return flops_of_inputs(FLOPS_CONV2D, &(struct flops_inputs){ shapes, strlen(shapes),
								     integers, strlen(integers) });
}

TEST(flops_are_those_of_torch_profiler)
{
	assert_int_equal(flops("aten::mm", "[[16, 8], [8, 4]]"), 2 * 16 * 8 * 4);
	assert_int_equal(flops("aten::addmm", "[[4], [16, 8], [8, 4], [], []]"), 2 * 16 * 8 * 4);
	assert_int_equal(flops("aten::bmm", "[[5, 16, 8], [5, 8, 4]]"), 5 * 2 * 16 * 8 * 4);
	assert_int_equal(flops("aten::baddbmm", "[[5, 16, 4], [5, 16, 8], [5, 8, 4], [], []]"),
			 5 * 2 * 16 * 8 * 4);
	assert_int_equal(flops("aten::mul", "[[16, 8], []]"), 16 * 8);
	assert_int_equal(flops("aten::add", "[[], [], []]"), 1);
	assert_int_equal(flops_kind_of("aten::conv2d", 12), FLOPS_CONV2D);
	assert_int_equal(flops_kind_of("aten::conv1d", 12), FLOPS_NONE);
	/* 5 by 9 from 9 by 8: stride 2 and 1, padding 1, two groups */
	assert_int_equal(conv_flops("[[1, 2, 9, 8], [4, 1, 3, 2], []]", "[2, 1, 1, 1, 1, 1, 2]"),
			 2 * 1 * 5 * 9 * 3 * 2 * 2 * 4 / 2);
	assert_int_equal(conv_flops("[[1, 2, 9, 8], [4, 1, 3, 2]]", "[2, 1, 0, 1, 1, 1]"), 0);
	assert_int_equal(conv_flops("[[1, 2, 9, 8], [4, 1, 3, 2]]", "[0, 1, 1, 1, 1, 1, 2]"), 0);
	assert_int_equal(conv_flops("[[1, 2, 9, 8], [4, 1, 3, 2]]", "[2, 1, 1, 1, 1, 1, 0]"), 0);
	assert_int_equal(conv_flops("[[1, 2, 1, 1], [4, 1, 9, 9]]", "[1, 1, 0, 0, 1, 1, 1]"), 0);
	assert_int_equal(conv_flops("[[2, 9, 8], [4, 1, 3, 2]]", "[2, 1, 1, 1, 1, 1, 1]"), 0);
	/* not what the formula is of */
	assert_int_equal(flops("aten::mm", "[[16, 8], [9, 4]]"), 0);
	assert_int_equal(flops("aten::mm", "[[16, 8]]"), 0);
	assert_int_equal(flops("aten::mm", "[[16, 8], [8, "), 0);
	assert_int_equal(flops("aten::mm", "[[[16, 8], [8, 4]]]"), 0);
	assert_int_equal(flops("aten::mm", "[[-1, 8], [8, 4]]"), 0);
	assert_int_equal(flops("aten::mul", "[[99999999999, 99999999999]]"), 0);
	assert_int_equal(flops("aten::mul", "[[99999999999999999999999]]"), 0);
	assert_int_equal(flops("aten::mul", "[[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]]"), 0);
	assert_int_equal(flops("aten::mul", ""), 0);
}

/*
 * User scopes need not nest: async functions, a step of torch.profiler in a scope around the loop.
 */
TEST_BOTH(scopes_that_cross_end_by_name, start, stop)
{
	uint32_t name;

	begin(0, A);
	begin(10, B);
	begin(20, C);
	operators_end_named(&operators, at(first, 30), A, false);
	begin(31, HIDDEN);
	end(32);
	end(40); /* C */
	operators_end_named(&operators, at(first, 100), B, false);
	assert_false(operators_innermost(&operators, first.thread, &name));
	assert_int_equal(row_of(A)->total.ns, 30);
	assert_int_equal(row_of(A)->self.ns, 10); /* B was in it for 20 */
	assert_int_equal(row_of(B)->total.ns, 90);
	assert_int_equal(row_of(B)->self.ns, 70);
	assert_int_equal(operators.unmatched, 0);
}

TEST_BOTH(a_scope_ends_on_another_thread, start, stop)
{
	uint32_t name;

	begin(0, A);
	begin_at(second, 0, B);
	begin_at(child, 0, A);
	operators_end_named(&operators, at(second, 40), A, false); /* of before the recording */
	assert_true(operators_innermost(&operators, first.thread, &name));
	assert_int_equal(operators.unmatched, 1);
	operators_end_named(&operators, at(second, 50), A, true);
	assert_false(operators_innermost(&operators, first.thread, &name));
	assert_true(operators_innermost(&operators, second.thread, &name));
	assert_true(operators_innermost(&operators, child.thread, &name));
	assert_int_equal(row_of(A)->total.ns, 50);
	operators_end_named(&operators, at(second, 60), A, true);
	assert_int_equal(operators.unmatched, 2);
}

/* The one that ends may be the outermost of thousands, or not be there at all. */
TEST_BOTH(a_name_is_not_looked_for_for_ever, start, stop)
{
	begin(0, A);
	for (unsigned int i = 0; i < 3000; i++)
		begin(1, B);
	operators_end_named(&operators, at(first, 2), A, false);
	operators_end_named(&operators, at(second, 2), C, true);
	assert_int_equal(operators.unmatched, 2);
}
