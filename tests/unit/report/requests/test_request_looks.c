/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/requests/request_looks.c: which looks of a sample lie within a request. */
#include "tests/unit/unit.h"
#include "report/requests/request_events.h"
#include "tests/unit/run_fixture.h"

/* Looks at 100, 90, ... 10. */
static const struct look_event ten = { .of = LOOK_LOCK,
				       .time_ns = 100,
				       .step_ns = 10,
				       .looks = 10 };

TEST(a_request_has_the_looks_within_it)
{
	assert_int_equal(look_event_within(&ten, 0, 200), 10);
	assert_int_equal(look_event_within(&ten, 0, UINT64_MAX), 10);
	assert_int_equal(look_event_within(&ten, 95, 200), 1);
	assert_int_equal(look_event_within(&ten, 90, 100), 1);
	assert_int_equal(look_event_within(&ten, 89, 100), 2);
	assert_int_equal(look_event_within(&ten, 41, 49), 0);
	assert_int_equal(look_event_within(&ten, 39, 41), 1);
	assert_int_equal(look_event_within(&ten, 100, 200), 0);
	assert_int_equal(look_event_within(&ten, 50, 50), 0);
	assert_int_equal(look_event_within(&ten, 0, 9), 0);
}

/* Each look is in one of two requests that follow each other. */
TEST(neighbours_share_nothing)
{
	for (uint64_t cut = 1; cut < 120; cut++)
		assert_int_equal(look_event_within(&ten, 0, cut) +
					 look_event_within(&ten, cut, UINT64_MAX),
				 10);
}

static void sample(struct frame_writer *fw, uint64_t time_ns, uint64_t looks, uint64_t what)
{
	FRAME_PUT(fw, time_ns, python_sample, .state = what, .looks = looks);
}

static void begin(struct frame_writer *fw, uint64_t time_ns, uint64_t number)
{
	FRAME_PUT(fw, time_ns, request_begin, .connection = 1, .number = number,
		  .method = name_of("GET"), .endpoint = name_of("/a"));
}

static void end(struct frame_writer *fw, uint64_t time_ns, uint64_t number)
{
	FRAME_PUT(fw, time_ns, request_end, .connection = 1, .number = number, .status = 200);
}

/* A sample after one request and within the next, with looks at 1100, 1200, ... 2000; then 2100. */
TEST(looks_belong_to_ended_and_open_requests)
{
	struct frame_writer *fw = recording_begin(1);
	const struct requests *requests;
	uint64_t ns = 0;

	sample(fw, 1000, 0, EVT_PYTHON_RUNS);
	begin(fw, 1050, 0);
	end(fw, 1950, 0);
	begin(fw, 1960, 1);
	sample(fw, 2000, 10, EVT_PYTHON_GIL);
	sample(fw, 2100, 1, EVT_PYTHON_RUNS);
	end(fw, 2150, 1);
	recording_open();
	requests = requests_want(run, &(struct requests_options){ .by = BY_requests_endpoint });
	recording_read();
	assert_int_equal(requests->count, 1);
	assert_int_equal(requests->row[0].alone, 2);
	assert_int_equal(requests->row[0].looks.at[LOOK_GIL], 10);
	assert_int_equal(requests->row[0].looks.at[LOOK_RUNS], 1);
	assert_true(request_row_waited(&requests->row[0], LOOK_GIL, &ns));
	assert_int_equal(ns, (900 + 190) * 10 / 11);
	recording_close();
}

static void cuda_call(struct frame_writer *fw, uint64_t time_ns, const char *function,
		      uint64_t duration_ns, uint64_t flags)
{
	FRAME_PUT(fw, time_ns, cuda_call, .function = name_of(function), .duration_ns = duration_ns,
		  .flags = flags);
}

/* Looks at 1100 to 1900; waits from 1150 to 1550, of which 1200 to 1500 have a look each. */
TEST(looks_in_calls_that_wait_are_of_the_gpu)
{
	struct frame_writer *fw = recording_begin(1);
	const struct requests *requests;

	sample(fw, 1000, 0, EVT_PYTHON_RUNS);
	begin(fw, 1050, 0);
	cuda_call(fw, 1120, "cudaLaunchKernel", 100, 0);
	cuda_call(fw, 1350, "cudaStreamSynchronize", 200, 0);
	cuda_call(fw, 1350, "cuStreamSynchronize", 200, EVT_CUDA_NESTED);
	cuda_call(fw, 1360, "cudaStreamWaitEvent", 300, 0);
	sample(fw, 1500, 5, EVT_PYTHON_RUNS);
	cuda_call(fw, 1550, "cudaEventSynchronize_ptsz", 170, 0);
	sample(fw, 1900, 4, EVT_PYTHON_RUNS);
	end(fw, 1950, 0);
	sample(fw, 2000, 1, EVT_PYTHON_RUNS);
	recording_open();
	requests = requests_want(run, &(struct requests_options){ .by = BY_requests_endpoint });
	recording_read();
	assert_int_equal(requests->row[0].gpu_wait_ns, 370);
	assert_int_equal(requests->row[0].looks.at[LOOK_GPU_SPINS], 4);
	assert_int_equal(requests->row[0].looks.at[LOOK_RUNS], 5);
	assert_int_equal(request_row_computed(&requests->row[0], 900), 500);
	recording_close();
}

/* Without samples only what must have been both is a wait. */
TEST(a_thread_spins_as_long_as_it_must)
{
	struct request_row row = { .alone_ns = 1000, .gpu_wait_ns = 700 };

	assert_int_equal(request_row_computed(&row, 1000), 300);
	assert_int_equal(request_row_computed(&row, 300), 300);
	assert_int_equal(request_row_computed(&row, 200), 200);
	row.gpu_wait_ns = 2000;
	assert_int_equal(request_row_computed(&row, 1000), 0);
}
