/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/helpers/helpers.c: for whom autograd's threads work, by what recordings tell. Launches
 * ask: each has the time at which it is looked who owns its thread.
 */
#include "tests/unit/unit.h"
#include "report/helpers/helped_work.h"
#include "report/helpers/helpers.h"
#include "report/ranges/ranges.h"
#include "report/nvtx/range_events.h"
#include "report/steps/step_events.h"
#include "tests/unit/gpu_recording.h"

#define ENGINE "autograd::engine::evaluate_function: MmBackward0"
#define LOOKS_MAX 16
#define NOBODY NEST_NONE

/* Threads of the recording, by stream; their indices are one less. */
enum { CALLER = 1, ENGINE_THREAD, OTHER };

static uint32_t owner[LOOKS_MAX]; /* by the number of the look */

struct probe {
	struct helpers *helpers;
	uint64_t caller_ns; /* how long helpers of the caller worked */
};

static void take_look(void *state, const struct source_event *event, bool counts)
{
	const struct probe *probe = state;

	(void)counts;
	owner[EVENT_AS(cuda_launch, &event->event)->correlation] = helpers_owner(
		probe->helpers, event->thread->index);
}

static void take_work(void *state, struct nest_place owned_by, uint64_t duration_ns)
{
	struct probe *probe = state;

	if (owned_by.thread == CALLER - 1)
		probe->caller_ns += duration_ns;
}

static void probe_start(void *state, struct run *asked, const void *options)
{
	struct probe *probe = state;

	(void)options;
	probe->helpers = helpers_want(asked, NULL);
	helpers_listen(probe->helpers, take_work, probe);
	run_reads(asked, EVT_cuda_launch, FIELDS_ALL, take_look, probe);
}

static const struct analysis_kind analysis_probe = { .name = "probe",
						     .state_bytes = sizeof(struct probe),
						     .start = probe_start };

/*
 * Operators: of `scope`, run on the thread of number `thread`, whose forward operator was on
 * `forward`.
 */
static void begin(uint64_t time_ns, const char *text, uint64_t scope, uint64_t thread,
		  uint64_t forward)
{
	FRAME_PUT(c.r.fw, time_ns, torch_begin_ex, .name = name(text), .scope = scope,
		  .sequence = 1, .thread = thread, .forward_thread = forward);
}

static void end(uint64_t time_ns)
{
	frame_put(c.r.fw, EVT_torch_end, time_ns, &time_ns);
}

static void node(uint64_t from_ns, uint64_t to_ns, uint64_t thread, uint64_t forward)
{
	FRAME_PUT(c.r.fw, from_ns, torch_begin, .name = name(ENGINE));
	begin(from_ns + 10, "MmBackward0", 1, thread, forward);
	end(to_ns - 10);
	end(to_ns);
}

static struct probe *read_it(uint64_t end_ns)
{
	struct probe *probe;

	close_recording(end_ns);
	open_run(NULL);
	probe = run_want(run, &analysis_probe, NULL);
	run_read(run, false);
	return probe;
}

static void begin_recording(void)
{
	memset(owner, 0xee, sizeof(owner));
	cuda_recording_start(&c, 1);
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 0, thread, .stream = OTHER, .process = 1, .tid = 300);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, CALLER);
}

static void forward(uint64_t from_ns, uint64_t to_ns, uint64_t thread)
{
	begin(from_ns, "aten::mm", 0, thread, 0);
	end(to_ns);
}

TEST(a_backward_pass_is_its_callers)
{
	struct probe *probe;

	begin_recording();
	forward(1000, 2000, 1);
	forward(50000, 51000, 1); /* the optimizer */
	on_stream(ENGINE_THREAD);
	FRAME_PUT(c.r.fw, 5000, torch_begin, .name = name(ENGINE));
	launch(5005, 1); /* nobody has named the caller yet */
	begin(5010, "MmBackward0", 1, 2, 1);
	launch(5100, 2);
	end(5900);
	end(6000);
	launch(6500, 3); /* between nodes */
	node(7000, 9000, 2, 1);
	launch(50500, 4); /* the caller goes on */
	probe = read_it(60000);
	assert_int_equal(owner[1], CALLER - 1);
	assert_int_equal(owner[2], CALLER - 1);
	assert_int_equal(owner[3], CALLER - 1);
	assert_int_equal(owner[4], NOBODY);
	/* what lies between two nodes of a pass is the engine's, and so the pass' */
	assert_int_equal(probe->caller_ns, 4000);
	assert_true(helpers_is_forward(probe->helpers, CALLER - 1));
	assert_false(helpers_is_forward(probe->helpers, ENGINE_THREAD - 1));
	release();
}

/* A node that began before its forward thread did something works for nobody who waits. */
/* Greenlets: an operator ends before those that began after it. */
TEST(an_end_out_of_turn_is_one)
{
	begin_recording();
	begin(1000, "aten::mm", 0, 1, 0);
	FRAME_PUT(c.r.fw, 7000, torch_end_outer, .inside = 0);
	on_stream(ENGINE_THREAD);
	node(5000, 6000, 2, 1);
	launch(6500, 1);
	launch(7500, 2);
	read_it(9000);
	assert_int_equal(owner[1], CALLER - 1);
	assert_int_equal(owner[2], NOBODY);
	release();
}

TEST(who_goes_on_does_not_wait)
{
	struct probe *probe;

	begin_recording();
	forward(1000, 2000, 1);
	forward(6000, 6100, 1);
	on_stream(ENGINE_THREAD);
	FRAME_PUT(c.r.fw, 5000, torch_begin, .name = name(ENGINE));
	begin(7000, "MmBackward0", 1, 2, 1);
	launch(7100, 1);
	end(7900);
	end(8000);
	probe = read_it(60000);
	assert_int_equal(owner[1], NOBODY);
	/* from the beginning of the node on, up to which it waited */
	assert_int_equal(probe->caller_ns, 1000);
	release();
}

/* A thread that runs operators of its own calls backward() itself, whoever ran the forward pass. */
TEST(a_thread_with_operators_of_its_own_helps_nobody)
{
	struct probe *probe;

	begin_recording();
	forward(1000, 2000, 1);
	on_stream(OTHER);
	forward(3000, 4000, 3);
	node(5000, 6000, 3, 1);
	launch(6100, 1);
	probe = read_it(60000);
	assert_int_equal(owner[1], NOBODY);
	assert_int_equal(probe->caller_ns, 0);
	release();
}

/*
 * As DataParallel: the forward pass ran on other threads, the loss on the one that calls
 * backward().
 */
TEST(replicas_belong_to_the_caller)
{
	begin_recording();
	forward(3000, 4000, 1);
	on_stream(OTHER);
	forward(1000, 2000, 3);
	on_stream(ENGINE_THREAD);
	node(5000, 6000, 2, 1);
	node(7000, 8000, 2, 3);
	launch(8100, 1);
	assert_true(helpers_is_forward(read_it(60000)->helpers, OTHER - 1));
	assert_int_equal(owner[1], CALLER - 1);
	release();
}

/* Two that train in one process share autograd's thread: each function says whose it is. */
TEST(two_callers_share_the_thread)
{
	begin_recording();
	forward(1000, 2000, 1);
	forward(20000, 21000, 1);
	on_stream(OTHER);
	forward(1000, 4000, 3);
	forward(20000, 21000, 3);
	on_stream(ENGINE_THREAD);
	node(5000, 6000, 2, 3);
	launch(6100, 1);
	node(30000, 31000, 2, 1);
	launch(31100, 2);
	node(32000, 33000, 2, 3); /* both wait */
	launch(33100, 3);
	node(34000, 35000, 2, 1);
	launch(35100, 4);
	(void)read_it(60000);
	assert_int_equal(owner[1], OTHER - 1);
	assert_int_equal(owner[2], CALLER - 1);
	assert_int_equal(owner[3], OTHER - 1);
	assert_int_equal(owner[4], CALLER - 1);
	release();
}

/* A pass within a pass, on a second thread of autograd's: it is the first caller's in the end. */
TEST(passes_within_passes)
{
	begin_recording();
	forward(1000, 2000, 1);
	on_stream(ENGINE_THREAD);
	FRAME_PUT(c.r.fw, 5000, torch_begin, .name = name(ENGINE));
	begin(5010, "CheckpointFunctionBackward", 1, 2, 1);
	forward(5100, 5200, 2); /* again */
	end(9900);
	end(10000);
	on_stream(OTHER);
	node(6000, 7000, 3, 2);
	launch(7100, 1);
	(void)read_it(60000);
	assert_int_equal(owner[1], CALLER - 1);
	release();
}

/* Hostile: threads that are named never ran, or name themselves and each other. */
TEST(names_that_lead_nowhere)
{
	begin_recording();
	node(1000, 2000, 1, 77);
	node(3000, 4000, 1, 1);
	node(5000, 6000, 1, 2);
	launch(6100, 1);
	on_stream(ENGINE_THREAD);
	node(1000, 2000, 2, 1);
	node(7000, 8000, 2, 1);
	launch(8100, 2);
	end(8200);
	end(8300);
	(void)read_it(60000);
	assert_true(owner[1] == NOBODY || owner[1] == ENGINE_THREAD - 1);
	assert_true(owner[2] == NOBODY || owner[2] == CALLER - 1);
	release();
}

/* --- whoever asks for what a thread did gets what was done for it --- */

/*
 * A range around the pass of the caller, from 4,000 to 20,000, in which another thread is busy with
 * its own.
 */
static void record_range(void)
{
	begin_recording();
	forward(1000, 2000, 1);
	FRAME_PUT(c.r.fw, 4000, nvtx_push, .name = name("backward"));
	FRAME_PUT(c.r.fw, 20000, nvtx_pop, 0);
	on_stream(ENGINE_THREAD);
	FRAME_PUT(c.r.fw, 5000, torch_begin, .name = name(ENGINE));
	begin(5010, "MmBackward0", 1, 2, 1);
	launch(5100, 1);
	FRAME_PUT(c.r.fw, 5200, malloc, .ptr = 0x1000, .size = 64, .caller = 1);
	end(5900);
	end(6000);
	node(7000, 9000, 2, 1);
	launch(30000, 2); /* the range is over */
	KERNEL_PUT(40000, 6000, 50, 1, "k");
	KERNEL_PUT(40000, 31000, 70, 2, "k");
	on_stream(OTHER);
	forward(5000, 5500, 3);
	launch(5600, 3);
}

TEST(a_range_has_what_is_done_for_it)
{
	struct filter_settings filter = plain;
	const struct ranges *ranges;

	record_range();
	close_recording(60000);
	open_run(NULL);
	ranges = ranges_want(run, &(struct ranges_options){ .work = WORK_BIT(launches) |
								    WORK_BIT(allocations) |
								    WORK_BIT(gpu_ns) });
	run_read(run, false);
	assert_int_equal(ranges->row_count, 1);
	assert_int_equal(ranges->row[0].work.launches, 1);
	assert_int_equal(ranges->row[0].work.allocations, 1);
	assert_int_equal(ranges->row[0].work.gpu_ns, 50);
	close_run();
	filter.range = "backward";
	open_run(&filter);
	run_counts_all(run);
	run_read(run, false);
	assert_int_equal(run_events(run, EVT_cuda_launch), 1);
	assert_int_equal(run_events(run, EVT_malloc), 1);
	assert_int_equal(run_events(run, EVT_torch_begin), 2);
	assert_int_equal(run_events(run, EVT_torch_begin_ex), 2);
	release();
}

/*
 * 10 us of a step of 100 us are an operator of the caller's, 6 us of autograd's; its clock says
 * that it ran for 14.
 */
TEST(a_step_waits_for_no_helper)
{
	uint64_t running_ns, at = 100000;
	const struct steps *steps;

	begin_recording();
	FRAME_PUT(c.r.fw, at, thread_clock, .cpu_ns = 5000);
	FRAME_PUT(c.r.fw, at, step, .number = 0, .name = name("Optimizer.step#SGD.step"));
	forward(at + 1000, at + 11000, 1);
	forward(at + 90000, at + 91000, 1);
	FRAME_PUT(c.r.fw, at + 100000, thread_clock, .cpu_ns = 19000);
	FRAME_PUT(c.r.fw, at + 100000, step, .number = 1, .name = name("Optimizer.step#SGD.step"));
	on_stream(ENGINE_THREAD);
	node(at + 20000, at + 23000, 2, 1);
	node(at + 24000, at + 26000, 2, 1); /* what lies between is the engine's */
	close_recording(at + 200000);
	open_run(NULL);
	steps = steps_want(run, &(struct steps_options){ .wants_rows = true });
	run_read(run, false);
	assert_int_equal(steps->row_count, 1);
	assert_int_equal(steps->row[0].cpu.helped_ns, 6000);
	assert_int_equal(steps->row[0].cpu.helped_operators_ns, 5000);
	assert_int_equal(steps->row[0].cpu.helped_other_ns, 1000);
	assert_true(cpu_span_value(&steps->row[0].cpu.all, 100000, &running_ns));
	assert_int_equal(running_ns, 14000);
	release();
}
