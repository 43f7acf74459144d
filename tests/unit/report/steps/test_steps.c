/* SPDX-License-Identifier: MIT */
/* links: report */
/* report/steps/steps.c: what is a step, and to which category each instant of it belongs. */
#include <stdio.h>

#include "tests/unit/unit.h"
#include "report/steps/step_ranges.h"
#include "report/steps/steps.h"

enum { A = 1, B }; /* names */

static struct steps steps;

static int setup(void **state)
{
	steps_init(&steps, true);
	return 0;
}

static int teardown(void **state)
{
	steps_release(&steps);
	return 0;
}

static void opens(uint64_t time_ns, uint32_t thread, enum step_category category)
{
	steps_open(&steps, (struct nest_place){ time_ns, thread, 0, 0, NULL, 0 }, category);
}

static void closes(uint64_t time_ns, uint32_t thread)
{
	steps_close(&steps, (struct nest_place){ time_ns, thread, 0, 0, NULL, 0 });
}

static void calls(uint64_t from_ns, uint64_t to_ns, uint32_t thread)
{
	steps_span(&steps, (struct nest_place){ to_ns, thread, 0, 0, NULL, 0 }, STEP_runtime,
		   to_ns - from_ns);
}

static void marks(struct nest_place place, uint64_t number, uint32_t name, bool counts)
{
	steps_mark(&steps, place,
		   &(struct step_mark){ .number = number, .name = name, .counts = counts });
}

static void mark(uint64_t time_ns, uint64_t number)
{
	marks((struct nest_place){ time_ns, 0, 0, 0, NULL, 0 }, number, A, true);
}

static const struct step_row *row_at(size_t row)
{
	assert_true(row < steps.row_count);
	return &steps.row[row];
}

/* The parts of a step, and that they are all of it. */
static void row_is(size_t at, uint64_t communication, uint64_t runtime, uint64_t dataloader,
		   uint64_t cpu, uint64_t other)
{
	const struct step_row *row = row_at(at);
	uint64_t sum = 0;

	assert_int_equal(row->ns[STEP_communication], communication);
	assert_int_equal(row->ns[STEP_runtime], runtime);
	assert_int_equal(row->ns[STEP_dataloader], dataloader);
	assert_int_equal(row->ns[STEP_operators], cpu);
	assert_int_equal(row->ns[STEP_other], other);
	for (int i = 0; i < STEP_CATEGORY_LIMIT; i++)
		sum += row->ns[i];
	assert_int_equal(sum, row->total_ns);
}

static void reads(uint64_t time_ns, uint32_t thread, uint64_t cpu_ns)
{
	steps_clock(&steps, (struct nest_place){ time_ns, thread, 0, 0, NULL, 0 }, cpu_ns);
}

static void span_is(const struct cpu_span *span, uint64_t wall_ns, uint64_t low_ns,
		    uint64_t high_ns)
{
	assert_int_equal(span->wall_ns, wall_ns);
	assert_int_equal(span->low_ns, low_ns);
	assert_int_equal(span->high_ns, high_ns);
}

/*
 * Of a step of 1000: 300 in an operator that runs, 600 in a sleep, 100 that nobody has read apart.
 */
TEST_BOTH(running_and_waiting, setup, teardown)
{
	reads(1000, 0, 5000);
	mark(1000, 0);
	opens(1000, 0, STEP_operators);
	reads(1300, 0, 5300);
	closes(1300, 0);
	reads(1310, 1, 70); /* another thread's */
	reads(1900, 0, 5305);
	opens(1900, 0, STEP_operators);
	closes(1950, 0);
	reads(2000, 0, 5355);
	mark(2000, 1);
	row_is(0, 0, 0, 0, 350, 650);
	span_is(&row_at(0)->cpu.all, 1000, 355, 355);
	span_is(&row_at(0)->cpu.operators, 350, 300, 350);
	span_is(&row_at(0)->cpu.other, 650, 5, 55);
	reads(2600, 0, 5955); /* 100 before the end */
	mark(2700, 2);
	span_is(&row_at(1)->cpu.all, 700, 600, 700);
	span_is(&row_at(1)->cpu.other, 700, 600, 700);
	/* the first row says 30, the second nothing: its bounds are too far apart */
	span_is(&steps.cpu.other, 1350, 30 + 600, 30 + 700);
}

TEST_BOTH(nothing_is_known_of_another_threads_step, setup, teardown)
{
	reads(1000, 0, 100);
	reads(1000, 1, 100);
	mark(1000, 0);
	reads(1990, 1, 900);
	marks((struct nest_place){ 2000, 1, 0, 0, NULL, 0 }, 1, A, true);
	span_is(&row_at(0)->cpu.all, 0, 0, 0);
	span_is(&row_at(0)->cpu.other, 0, 0, 0);
	reads(3000, 1, 1900);
	marks((struct nest_place){ 3000, 1, 0, 0, NULL, 0 }, 2, A, true);
	span_is(&row_at(1)->cpu.all, 1000, 990,
		1000); /* its own again; what came 10 before is open */
}

TEST_BOTH(a_recording_without_readings, setup, teardown)
{
	uint64_t ns;

	mark(1000, 0);
	mark(2000, 1);
	assert_false(cpu_span_value(&row_at(0)->cpu.all, 1000, &ns));
	assert_false(cpu_span_value(&row_at(0)->cpu.other, 1000, &ns));
}

TEST_BOTH(every_instant_has_one_category, setup, teardown)
{
	mark(1000, 0);
	opens(1000, 0, STEP_NOTHING); /* a label around it all */
	opens(1010, 0, STEP_dataloader);
	opens(1020, 0, STEP_operators); /* collating is part of it */
	closes(1030, 0);
	closes(1040, 0);
	opens(1050, 0, STEP_operators);
	opens(1060, 0, STEP_operators);
	calls(1062, 1065, 0);
	closes(1070, 0);
	opens(1075, 0, STEP_communication);
	calls(1076, 1078, 0); /* below it */
	closes(1080, 0);
	closes(1090, 0);
	mark(1100, 1);
	assert_int_equal(row_at(0)->number, 0);
	assert_int_equal(row_at(0)->start_ns, 1000);
	assert_int_equal(row_at(0)->total_ns, 100);
	row_is(0, 5, 3, 30, 40 - 3 - 5, 30);
}

TEST_BOTH(threads_of_a_process_count_together, setup, teardown)
{
	mark(0, 0);
	opens(10, 0, STEP_operators); /* loss.backward() waits in no operator */
	closes(20, 0);
	opens(30, 1, STEP_operators);
	opens(35, 2, STEP_dataloader);
	calls(36, 50, 3);
	opens(40, 0, STEP_operators);
	closes(60, 1);
	closes(70, 0);
	closes(80, 2);
	mark(100, 1);
	row_is(0, 0, 14, 45 - 14, 10 + 5, 40);
}

TEST_BOTH(what_goes_on_past_the_end_counts_in_both, setup, teardown)
{
	mark(0, 0);
	opens(5, 1, STEP_operators);
	mark(10, 1);
	mark(20, 2);
	closes(22, 1);
	mark(30, 3);
	row_is(0, 0, 0, 0, 5, 5);
	row_is(1, 0, 0, 0, 10, 0);
	row_is(2, 0, 0, 0, 2, 8);
	/* a call is known at its end only */
	calls(25, 35, 2);
	mark(40, 4);
	row_is(3, 0, 5, 0, 0, 5);
}

TEST_BOTH(instants_without_length_count_nowhere, setup, teardown)
{
	mark(10, 0);
	opens(20, 0, STEP_operators);
	closes(20, 0);
	calls(30, 30, 0);
	opens(40, 0, STEP_operators);
	closes(50, 0);
	opens(50, 0, STEP_communication);
	closes(60, 0);
	mark(70, 1);
	row_is(0, 10, 0, 0, 10, 40);
	mark(70, 2);
	row_is(1, 0, 0, 0, 0, 0);
}

TEST_BOTH(a_first_step_without_a_mark_begins_with_the_first_operator, setup, teardown)
{
	calls(5, 8, 0); /* setting up the device */
	opens(100, 0, STEP_operators);
	closes(110, 0);
	mark(130, 1);
	assert_int_equal(row_at(0)->number, 0);
	assert_int_equal(row_at(0)->start_ns, 100);
	row_is(0, 0, 0, 0, 10, 20);
}

TEST_BOTH(a_mark_of_the_first_step_leaves_out_what_was_before, setup, teardown)
{
	opens(100, 0, STEP_operators);
	closes(110, 0);
	mark(200, 0);
	mark(230, 1);
	assert_int_equal(steps.row_count, 1);
	assert_int_equal(row_at(0)->start_ns, 200);
	row_is(0, 0, 0, 0, 0, 30);
}

static void interrupt(uint64_t time_ns)
{
	steps_cut(&steps, (struct nest_place){ time_ns, 0, 0, 0, NULL, 0 }, NEST_CUT);
	steps_interrupt(&steps, (struct nest_place){ time_ns, 0, 0, 0, NULL, 0 });
}

TEST_BOTH(only_whole_steps_count, setup, teardown)
{
	interrupt(0); /* recording begins in the midst of something */
	closes(5, 0);
	opens(10, 0, STEP_operators);
	mark(20, 3);
	opens(25, 0, STEP_NOTHING);
	closes(30, 0);
	mark(40, 4);
	interrupt(41); /* two scopes stay open */
	interrupt(100);
	mark(101, 9);
	closes(102, 0);
	closes(103, 0);
	opens(110, 0, STEP_dataloader);
	closes(120, 0);
	mark(141, 10);
	mark(150, 12); /* a record was lost */
	mark(160, 13);
	assert_int_equal(steps.row_count, 3);
	assert_int_equal(row_at(0)->number, 3);
	row_is(0, 0, 0, 0, 20, 0);
	assert_int_equal(row_at(1)->number, 9);
	row_is(1, 0, 0, 10, 0, 30);
	assert_int_equal(row_at(2)->number, 12);
	assert_int_equal(steps.in_part, 1);
}

/* What a thread spends is of the step that it ends, as far as it was in that step. */
TEST_BOTH(spent_time_is_that_of_the_step, setup, teardown)
{
	static const struct nest_place other = { 35, 7, 0, 0, NULL, 0 };

	steps_spend(&steps, (struct nest_place){ 9, 0, 0, 0, NULL, 0 }, STEP_SPENT_io,
		    9); /* before */
	mark(10, 0);
	steps_spend(&steps, (struct nest_place){ 12, 0, 0, 0, NULL, 0 }, STEP_SPENT_io,
		    5); /* 2 of it */
	steps_spend(&steps, (struct nest_place){ 19, 0, 0, 0, NULL, 0 }, STEP_SPENT_io, 4);
	steps_spend(&steps, (struct nest_place){ 19, 0, 0, 0, NULL, 0 }, STEP_SPENT_sleep_wait, 3);
	mark(20, 1);
	steps_spend(&steps, other, STEP_SPENT_io, 2); /* of a thread that ends a later step */
	mark(40, 2);
	steps_spend(&steps, (struct nest_place){ 45, 7, 0, 0, NULL, 0 }, STEP_SPENT_lock_wait, 1);
	marks((struct nest_place){ 50, 7, 0, 0, NULL, 0 }, 3, A, true);
	steps_spend(&steps, (struct nest_place){ 60, 0, 0, 0, NULL, 0 }, STEP_SPENT_io, 6);
	steps_interrupt(&steps, (struct nest_place){ 61, 0, 0, 0, NULL, 0 });
	steps_spend(&steps, (struct nest_place){ 65, 0, 0, 0, NULL, 0 }, STEP_SPENT_io, 3);
	mark(70, 4);
	mark(80, 5);
	assert_int_equal(steps.row_count, 4);
	assert_int_equal(row_at(0)->spent_ns[STEP_SPENT_io], 6);
	assert_int_equal(row_at(0)->spent_ns[STEP_SPENT_sleep_wait], 3);
	assert_int_equal(row_at(1)->spent_ns[STEP_SPENT_io], 0);
	assert_int_equal(row_at(2)->spent_ns[STEP_SPENT_io], 0);
	assert_int_equal(row_at(2)->spent_ns[STEP_SPENT_lock_wait], 1);
	assert_int_equal(row_at(3)->spent_ns[STEP_SPENT_io], 0);
}

TEST_BOTH(scopes_end_where_events_were_lost, setup, teardown)
{
	mark(0, 0);
	opens(10, 0, STEP_operators);
	opens(12, 0, STEP_dataloader);
	opens(13, 1, STEP_operators);
	steps_cut(&steps, (struct nest_place){ 20, 0, 0, 0, NULL, 0 }, NEST_CUT);
	closes(25, 0);
	closes(30, 1);
	mark(40, 1);
	row_is(0, 0, 0, 8, 2 + 10, 20);
}

TEST_BOTH(processes_have_steps_of_their_own, setup, teardown)
{
	marks((struct nest_place){ 0, 0, 0, 0, NULL, 0 }, 0, A, true);
	marks((struct nest_place){ 5, 1, 1, 0, NULL, 0 }, 0, B, true);
	opens(10, 0, STEP_operators);
	marks((struct nest_place){ 15, 1, 1, 0, NULL, 0 }, 1, B, true);
	marks((struct nest_place){ 20, 0, 0, 0, NULL, 0 }, 1, A, true);
	marks((struct nest_place){ 25, 1, 1, 0, NULL, 0 }, 2, B, false);
	assert_int_equal(steps.row_count, 2);
	assert_int_equal(row_at(0)->process, 1);
	row_is(0, 0, 0, 0, 0, 10);
	row_is(1, 0, 0, 0, 10, 10);
	assert_int_equal(steps.processes, 2);
	assert_true(steps.is_mixed);
}

/* Sums hold, and memory for edges does not grow with steps or with what happens in one. */
TEST_BOTH(many_steps_and_one_long_one, setup, teardown)
{
	enum { STEPS = 100000, SCOPES = 3000000 };
	uint64_t time_ns = 0;

	steps.wants_rows = false;
	mark(time_ns, 0);
	for (uint64_t i = 1; i <= STEPS; i++) {
		for (int n = 0; n < 20; n++) {
			opens(time_ns += 3, 0, STEP_operators);
			calls(time_ns + 1, time_ns + 2, 0);
			closes(time_ns += 5, 0);
		}
		mark(time_ns, i);
	}
	for (uint64_t i = 0; i < SCOPES; i++) {
		opens(time_ns += 3, 0, STEP_operators);
		closes(time_ns += 5, 0);
	}
	mark(time_ns, STEPS + 1);
	assert_int_equal(steps.time.count, STEPS + 1);
	assert_int_equal(steps.ns[STEP_runtime], 20ull * STEPS);
	assert_int_equal(steps.ns[STEP_operators], 20ull * STEPS * 4 + 5ull * SCOPES);
	assert_int_equal(steps.ns[STEP_other], 20ull * STEPS * 3 + 3ull * SCOPES);
	assert_int_equal(steps.row_count, 0);
}

static enum step_category category(const char *name, uint64_t scope)
{
	return step_category_of(name, strlen(name), scope);
}

TEST_BOTH(names_say_the_category, setup, teardown)
{
	assert_int_equal(category("aten::add", 0), STEP_operators);
	assert_int_equal(category("AddBackward0", 1), STEP_operators);
	assert_int_equal(category("my label", 7), STEP_NOTHING);
	assert_int_equal(category("ProfilerStep#3", 7), STEP_NOTHING);
	assert_int_equal(category("Optimizer.step#SGD.step", 7), STEP_NOTHING);
	assert_int_equal(category("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 7),
			 STEP_dataloader);
	assert_int_equal(category("nccl:all_reduce", 7), STEP_communication);
	assert_int_equal(category("record_param_comms", 0), STEP_communication);
	assert_int_equal(category("c10d::allreduce_", 0), STEP_communication);
	assert_int_equal(category("gloo:broadcast", 7), STEP_communication);
	assert_int_equal(category("Torch-Compiled Region: 0/0", 7), STEP_operators);
	/* of a torch whose scopes are not known */
	assert_int_equal(category("Optimizer.zero_grad#Adam.zero_grad", 0), STEP_NOTHING);
	assert_int_equal(category("", 0), STEP_operators);
}

TEST_BOTH(the_outermost_range_of_the_name_ends_a_step, setup, teardown)
{
	const struct nest_place here = { 0, 0, 0, 0, NULL, 0 }, other = { 0, 1, 1, 0, NULL, 0 };
	struct step_ranges ranges;

	step_ranges_init(&ranges, "iteration*");
	assert_true(step_ranges_match(&ranges, "iteration 5", 11));
	assert_true(step_ranges_match(&ranges, "iteration", 9));
	assert_false(step_ranges_match(&ranges, "iterations", 8));
	assert_false(step_ranges_match(&ranges, NULL, 0));
	assert_false(step_ranges_pop(&ranges, here, STEP_DOMAIN_TORCH));
	step_ranges_push(&ranges, here, STEP_DOMAIN_TORCH, false);
	step_ranges_push(&ranges, here, STEP_DOMAIN_TORCH, true);
	step_ranges_push(&ranges, here, 7, true);
	step_ranges_push(&ranges, other, STEP_DOMAIN_TORCH, true);
	step_ranges_push(&ranges, here, STEP_DOMAIN_TORCH, true);
	assert_false(step_ranges_pop(&ranges, here, STEP_DOMAIN_TORCH));
	assert_true(step_ranges_pop(&ranges, here, STEP_DOMAIN_TORCH));
	assert_false(step_ranges_pop(&ranges, here, STEP_DOMAIN_TORCH));
	assert_true(step_ranges_pop(&ranges, here, 7));
	step_ranges_push(&ranges, here, STEP_DOMAIN_TORCH, true);
	step_ranges_start(&ranges, 0, UINT64_MAX);
	step_ranges_start(&ranges, 0, 5);
	assert_true(step_ranges_end(&ranges, 0, UINT64_MAX));
	assert_false(step_ranges_end(&ranges, 1, 5));
	assert_true(step_ranges_begin(&ranges, 0));
	assert_false(step_ranges_begin(&ranges, 0));
	step_ranges_cut(&ranges, here);
	step_ranges_forget(&ranges, 0);
	assert_true(step_ranges_begin(&ranges, 0));
	assert_false(step_ranges_pop(&ranges, here, STEP_DOMAIN_TORCH));
	assert_false(step_ranges_end(&ranges, 0, 5));
	assert_true(step_ranges_pop(&ranges, other, STEP_DOMAIN_TORCH));
	step_ranges_release(&ranges);
	step_ranges_init(&ranges, "step");
	assert_true(step_ranges_match(&ranges, "step", 4));
	assert_false(step_ranges_match(&ranges, "steps", 5));
	step_ranges_release(&ranges);
}

/* User scopes need not nest, nor end on their thread. */
TEST_BOTH(ranges_that_cross_end_by_name, setup, teardown)
{
	const struct nest_place here = { 0, 0, 0, 0, NULL, 0 };
	struct step_ranges ranges;

	step_ranges_init(&ranges, "step");
	assert_false(step_ranges_pop_one(&ranges, here, true));
	step_ranges_push(&ranges, here, STEP_DOMAIN_TORCH, true);
	step_ranges_push(&ranges, here, STEP_DOMAIN_TORCH, false);
	step_ranges_push(&ranges, here, STEP_DOMAIN_TORCH, true);
	assert_false(step_ranges_pop_one(&ranges, here, true));
	assert_true(step_ranges_pop_one(&ranges, here, true));
	step_ranges_push(&ranges, here, STEP_DOMAIN_TORCH, true);
	assert_false(step_ranges_pop_one(&ranges, here, false));
	assert_true(step_ranges_pop_one(&ranges, here, true));
	assert_false(step_ranges_pop(&ranges, here, STEP_DOMAIN_TORCH));
	step_ranges_release(&ranges);
}

TEST_BOTH(scopes_that_cross_have_their_time, setup, teardown)
{
	mark(0, 0);
	opens(10, 0, STEP_dataloader);
	opens(20, 0, STEP_NOTHING);
	steps_close_one(&steps, (struct nest_place){ 40, 0, 0, 0, NULL, 0 }, STEP_dataloader);
	steps_close_one(&steps, (struct nest_place){ 50, 0, 0, 0, NULL, 0 }, STEP_dataloader);
	steps_close_one(&steps, (struct nest_place){ 60, 0, 0, 0, NULL, 0 }, STEP_NOTHING);
	mark(100, 1);
	row_is(0, 0, 0, 30, 0, 70);
}
