/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/deferred/deferred.c, deferred_scopes.c, ranges_deferred.c, report/steps/step_delay.c over
 * recordings in memory: a GPU's work is counted where its call was made, in whatever order it is
 * told; steps have it in their own time.
 */
#include "tests/unit/unit.h"
#include "report/nvtx/range_events.h"
#include "report/steps/step_events.h"
#include "report/torch/operator_events.h"
#include "tests/unit/gpu_recording.h"

#define SECOND 1000000000u
#define USER 7u

static const struct ranges *ranges;
static const struct operators *operators;
static const struct steps *steps;
static const struct deferred *deferred;

static void kernel(uint64_t told_ns, uint64_t begin_ns, uint64_t took_ns, uint64_t correlation)
{
	KERNEL_PUT(told_ns, begin_ns, took_ns, correlation, "k");
}

static void push(uint64_t time_ns, const char *text)
{
	FRAME_PUT(c.r.fw, time_ns, nvtx_push, .domain = name(""), .name = name(text));
}

static void pop(uint64_t time_ns)
{
	FRAME_PUT(c.r.fw, time_ns, nvtx_pop, .domain = name(""));
}

static void begin(uint64_t time_ns, const char *text)
{
	FRAME_PUT(c.r.fw, time_ns, torch_begin, .name = name(text));
}

static void end(uint64_t time_ns)
{
	frame_put(c.r.fw, EVT_torch_end, time_ns, &time_ns);
}

static void mark(uint64_t time_ns, uint64_t number)
{
	FRAME_PUT(c.r.fw, time_ns, step, .number = number, .name = name("step"));
}

static void read_as(struct filter_settings options)
{
	open_run(&options);
	ranges = ranges_want(run, &(struct ranges_options){ .work = WORK_BIT(gpu_ns) });
	operators = operators_want_rows(run, &(struct operators_options){ .is_full = true },
					OPERATORS_ALL);
	steps = steps_want(run, &(struct steps_options){ .wants_rows = true });
	deferred = deferred_want(run);
	run_read(run, false);
}

static void finish(uint64_t end_ns)
{
	close_recording(end_ns);
	read_as(plain);
}

static bool name_is(uint32_t index, const char *text)
{
	return !strcmp(source_name_text(source_name_at(source, index)), text);
}

static const struct range_row *range_of(const char *text)
{
	for (size_t i = 0; i < ranges->row_count; i++)
		if (name_is(ranges->row[i].name, text))
			return &ranges->row[i];
	fail_msg("no range '%s'", text);
	return NULL;
}

static const struct operator_row *operator_of(const char *text)
{
	for (size_t i = 0; i < operators->row_count; i++)
		if (name_is(operators->row[i].name, text))
			return &operators->row[i];
	fail_msg("no operator '%s'", text);
	return NULL;
}

static struct work thread_work(size_t index)
{
	struct source_thread *const *thread;

	source_threads(source, &thread);
	return works_counted_of_thread(works_provide(run), thread[index]);
}

TEST(work_is_counted_in_the_ranges_around_its_call)
{
	start(2);
	push(100, "outer");
	launch(110, 1);
	push(120, "inner");
	launch(130, 2);
	pop(140);
	push(150, "inner");
	launch(160, 3);
	launch(170, 4);
	pop(180);
	pop(200);
	launch(210, 5);               /* in no range */
	kernel(SECOND, 1000, 100, 4); /* told in no order, long after */
	kernel(SECOND + 1, 500, 20, 1);
	kernel(SECOND + 2, 600, 30, 2);
	kernel(SECOND + 3, 900, 50, 3);
	kernel(SECOND + 4, 5000, 7, 5);
	finish(2ull * SECOND);
	assert_int_equal(range_of("inner")->work.gpu_ns, 180);
	assert_int_equal(range_of("inner")->work.gpu_ops, 3);
	assert_int_equal(range_of("inner")->gpu->self_ns, 180);
	assert_int_equal(range_of("inner")->gpu->projected.count, 2);
	assert_int_equal(range_of("inner")->gpu->projected.total_ns, 30 + 200);
	assert_int_equal(range_of("inner")->gpu->projected.max_ns, 200);
	assert_int_equal(range_of("outer")->work.gpu_ns, 200);
	assert_int_equal(range_of("outer")->gpu->self_ns, 20);
	assert_int_equal(range_of("outer")->gpu->projected.total_ns, 600);
	assert_int_equal(thread_work(0).gpu_ns, 207);
	assert_int_equal(thread_work(0).gpu_ops, 5);
	assert_int_equal(deferred->uncorrelated, 0);
	release();
}

/* What starts and ends by number is the process's: all its threads are inside. */
TEST(start_end_ranges_have_the_work_of_their_process)
{
	start(2);
	FRAME_PUT(c.r.fw, 100, nvtx_start, .domain = name(""), .name = name("all"), .range = 1);
	launch(110, 1);
	FRAME_PUT(c.r.fw, 120, nvtx_start, .domain = name(""), .name = name("second"), .range = 2);
	on_stream(2);
	launch(130, 2);
	on_stream(3);
	launch(135, 2); /* the same number of another process */
	on_stream(1);
	FRAME_PUT(c.r.fw, 140, nvtx_end, .domain = name(""), .range = 1);
	launch(150, 3);
	FRAME_PUT(c.r.fw, 160, nvtx_end, .domain = name(""), .range = 2);
	launch(170, 4);
	kernel(SECOND, 300, 10, 1);
	kernel(SECOND + 1, 400, 100, 2);
	kernel(SECOND + 2, 600, 1000, 3);
	kernel(SECOND + 3, 2000, 10000, 4);
	finish(2ull * SECOND);
	assert_int_equal(range_of("all")->work.gpu_ns, 110);
	assert_int_equal(range_of("all")->gpu->projected.total_ns, 200);
	assert_int_equal(range_of("second")->work.gpu_ns, 1100);
	assert_int_equal(thread_work(0).gpu_ns, 11010);
	assert_int_equal(thread_work(1).gpu_ns, 100);
	release();
}

TEST(an_only_child_of_its_parents_name_is_the_same_operator)
{
	start(2);
	begin(100, "conv");
	begin(110, "conv");
	begin(115, "gemm");
	launch(120, 1);
	end(125);
	launch(130, 2);
	end(140);
	end(150);
	begin(200, "conv"); /* two children: each is a call */
	begin(210, "conv");
	launch(220, 3);
	end(230);
	begin(240, "conv");
	launch(250, 4);
	end(260);
	launch(265, 5);
	end(270);
	begin(300, "aten::is_leaf"); /* is shown nowhere */
	launch(310, 6);
	end(320);
	for (unsigned int i = 1; i <= 6; i++)
		kernel(SECOND + i, 1000 * i, 1u << i, i);
	finish(2ull * SECOND);
	assert_int_equal(operator_of("gemm")->gpu_self_ns, 2);
	assert_int_equal(operator_of("conv")->calls, 4);
	assert_int_equal(operator_of("conv")->gpu_self_ns, 4 + 8 + 16 + 32);
	assert_int_equal(operator_of("conv")->gpu_total_ns, (2 + 4) + (8 + 16 + 32) + 8 + 16);
	assert_int_equal(thread_work(0).gpu_ns, 126);
	release();
}

TEST(a_filter_looks_at_the_call)
{
	struct filter_settings early = plain, other = plain;

	start(2);
	push(100, "r");
	launch(110, 1);
	launch(500, 2);
	pop(600);
	on_stream(2);
	launch(120, 3);
	kernel(SECOND, 700, 10, 1);
	kernel(SECOND + 1, 800, 100, 2);
	kernel(SECOND + 2, 900, 1000, 3);
	finish(2ull * SECOND);
	assert_int_equal(thread_work(0).gpu_ns, 110);
	close_run();
	early.to_ns = 300;
	read_as(early);
	assert_int_equal(thread_work(0).gpu_ns, 10);
	assert_int_equal(thread_work(1).gpu_ns, 1000);
	assert_int_equal(range_of("r")->work.gpu_ns, 110); /* it began before the cut: all of it */
	close_run();
	other.tid = 200;
	read_as(other);
	assert_int_equal(thread_work(0).gpu_ns, 0);
	assert_int_equal(thread_work(1).gpu_ns, 1000);
	release();
}

TEST(work_waits_for_its_call_and_not_for_ever)
{
	start(2);
	push(50, "r");
	on_stream(2); /* CUPTI's thread is ahead of the call's */
	kernel(100, 60, 10, 1);
	kernel(101, 70, 20, 1);
	kernel(102, 70, 40, 99); /* of no call */
	on_stream(1);
	launch(10010, 1);
	kernel(10020, 9000, 30, 1); /* seems to begin before its call, at 10005 */
	kernel(10030, 9005, 30, 1); /* as two clocks can differ */
	pop(10040);
	finish(30ull * SECOND);
	assert_int_equal(range_of("r")->work.gpu_ns, 90);
	assert_int_equal(deferred->uncorrelated, 1);
	assert_int_equal(deferred->clamped, 3);
	assert_int_equal(range_of("r")->gpu->projected.total_ns, 30); /* all four begin at 10005 */
	release();
}

TEST(steps_have_what_ran_in_their_time)
{
	start(2);
	FRAME_PUT(c.r.fw, 10, gpu_cupti, .state = EVT_GPU_STARTED);
	mark(1000, 1);
	begin(1100, "aten::mm");
	launch(1150, 1);
	end(1400);
	mark(2000, 2);
	begin(2500, "aten::mm");
	end(2600);
	mark(3000, 3);
	kernel(SECOND, 1300, 1000, 1); /* until 2300 */
	FRAME_PUT(c.r.fw, SECOND + 1, gpu_set, .ago_ns = SECOND + 1 - 2200, .duration_ns = 350,
		  .correlation = 1);
	FRAME_PUT(c.r.fw, SECOND + 2, gpu_copy, .ago_ns = SECOND + 2 - 2900, .duration_ns = 50,
		  .correlation = 1);
	finish(2ull * SECOND);
	assert_int_equal(steps->row_count, 2);
	assert_int_equal(steps->row[0].ns[STEP_kernel], 700);
	assert_int_equal(steps->row[0].ns[STEP_operators], 195);
	assert_int_equal(steps->row[0].ns[STEP_runtime], 5);
	assert_int_equal(steps->row[0].ns[STEP_other], 100);
	assert_int_equal(steps->row[0].gpu_ns, 700);
	assert_int_equal(steps->row[1].ns[STEP_kernel], 300);
	assert_int_equal(steps->row[1].ns[STEP_memset], 250);
	assert_int_equal(steps->row[1].ns[STEP_memcpy], 50);
	assert_int_equal(steps->row[1].ns[STEP_operators], 50);
	assert_int_equal(steps->row[1].gpu_ns, 600);
	assert_int_equal(steps->gpu_late, 0);
	assert_true(steps->has_gpu);
	release();
}

/* Many, with seconds between: what is known does not wait, and nothing is lost by that. */
TEST(memory_is_of_what_is_under_way)
{
	enum { LAUNCHES = 1000 };

	start(2);
	for (uint64_t i = 1; i <= LAUNCHES; i++) {
		uint64_t at = i * SECOND;

		push(at, "r");
		launch(at + 10, i);
		pop(at + 20);
		mark(at + 30, i);
		kernel(at + 40, at + 15, 10, i);
	}
	finish((LAUNCHES + 1) * (uint64_t)SECOND);
	assert_int_equal(range_of("r")->work.gpu_ns, 10 * LAUNCHES);
	assert_int_equal(range_of("r")->gpu->projected.count, LAUNCHES);
	assert_int_equal(steps->row_count, LAUNCHES - 1);
	assert_int_equal(steps->ns[STEP_kernel], 10 * (LAUNCHES - 1));
	release();
}
