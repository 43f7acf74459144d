/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/core/helpers.c: for whom autograd's threads work, by what recordings tell. Launches ask: each has the time at which it
 * is looked who owns its thread.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after the headers it needs */
#include <cmocka.h>

#include "report/core/helpers.h"
#include "tests/unit/gpu_recording.h"

#define ENGINE "autograd::engine::evaluate_function: MmBackward0"
#define LOOKS_MAX 16
#define NOBODY NEST_NONE

/* Threads of the recording, by stream; their indices are one less. */
enum { CALLER = 1, ENGINE_THREAD, OTHER };

static uint32_t owner[LOOKS_MAX]; /* by the number of the look */

struct probe {
	struct helpers *helpers;
};

static void take_look(void *state, const struct source_event *event, bool counts)
{
	const struct probe *probe = state;

	(void)counts;
	owner[EVENT_AS(cuda_launch, &event->event)->correlation] = helpers_owner(
		probe->helpers, event->thread->index);
}

static void probe_start(void *state, struct run *asked, const void *options)
{
	struct probe *probe = state;

	(void)options;
	probe->helpers = helpers_want(asked, NULL);
	run_reads(asked, EVT_cuda_launch, FIELDS_ALL, take_look, probe);
}

static const struct analysis_kind analysis_probe = { .name = "probe",
						     .state_bytes = sizeof(struct probe),
						     .start = probe_start };

/* Operators: of `scope`, run on the thread of number `thread`, whose forward operator was on `forward`. */
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

static struct helpers *read_it(uint64_t end_ns)
{
	struct probe *probe;

	close_recording(end_ns);
	open_run(NULL);
	probe = run_want(run, &analysis_probe, NULL);
	run_read(run, false);
	return probe->helpers;
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

static void a_backward_pass_is_its_callers(void **state)
{
	struct helpers *helpers;

	(void)state;
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
	helpers = read_it(60000);
	assert_int_equal(owner[1], CALLER - 1);
	assert_int_equal(owner[2], CALLER - 1);
	assert_int_equal(owner[3], CALLER - 1);
	assert_int_equal(owner[4], NOBODY);
	/* what lies between two nodes of a pass is the engine's, and so the pass' */
	assert_int_equal(helpers_covered_ns(helpers, CALLER - 1), 4000);
	assert_true(helpers_is_forward(helpers, CALLER - 1));
	assert_false(helpers_is_forward(helpers, ENGINE_THREAD - 1));
	release();
}

/* A node that began before its forward thread did something works for nobody who waits. */
static void who_goes_on_does_not_wait(void **state)
{
	struct helpers *helpers;

	(void)state;
	begin_recording();
	forward(1000, 2000, 1);
	forward(6000, 6100, 1);
	on_stream(ENGINE_THREAD);
	FRAME_PUT(c.r.fw, 5000, torch_begin, .name = name(ENGINE));
	begin(7000, "MmBackward0", 1, 2, 1);
	launch(7100, 1);
	end(7900);
	end(8000);
	helpers = read_it(60000);
	assert_int_equal(owner[1], NOBODY);
	/* from the beginning of the node on, up to which it waited */
	assert_int_equal(helpers_covered_ns(helpers, CALLER - 1), 1000);
	release();
}

/* A thread that runs operators of its own calls backward() itself, whoever ran the forward pass. */
static void a_thread_with_operators_of_its_own_helps_nobody(void **state)
{
	struct helpers *helpers;

	(void)state;
	begin_recording();
	forward(1000, 2000, 1);
	on_stream(OTHER);
	forward(3000, 4000, 3);
	node(5000, 6000, 3, 1);
	launch(6100, 1);
	helpers = read_it(60000);
	assert_int_equal(owner[1], NOBODY);
	assert_int_equal(helpers_covered_ns(helpers, CALLER - 1), 0);
	release();
}

/* As DataParallel: the forward pass ran on other threads, the loss on the one that calls backward(). */
static void replicas_belong_to_the_caller(void **state)
{
	(void)state;
	begin_recording();
	forward(3000, 4000, 1);
	on_stream(OTHER);
	forward(1000, 2000, 3);
	on_stream(ENGINE_THREAD);
	node(5000, 6000, 2, 1);
	node(7000, 8000, 2, 3);
	launch(8100, 1);
	assert_true(helpers_is_forward(read_it(60000), OTHER - 1));
	assert_int_equal(owner[1], CALLER - 1);
	release();
}

/* Two that train in one process share autograd's thread: each function says whose it is. */
static void two_callers_share_the_thread(void **state)
{
	(void)state;
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
static void passes_within_passes(void **state)
{
	(void)state;
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
static void names_that_lead_nowhere(void **state)
{
	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_backward_pass_is_its_callers),
		cmocka_unit_test(who_goes_on_does_not_wait),
		cmocka_unit_test(a_thread_with_operators_of_its_own_helps_nobody),
		cmocka_unit_test(replicas_belong_to_the_caller),
		cmocka_unit_test(two_callers_share_the_thread),
		cmocka_unit_test(passes_within_passes),
		cmocka_unit_test(names_that_lead_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
