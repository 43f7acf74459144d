/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/requests/request_model.h: operators and work of the GPU, of one request or of several. */
#include "tests/unit/unit.h"
#include "report/requests/request_events.h"
#include "tests/unit/run_fixture.h"

static struct frame_writer *fw;

static void begin(uint64_t time_ns, uint64_t connection)
{
	FRAME_PUT(fw, time_ns, request_begin, .connection = connection, .method = name_of("GET"),
		  .endpoint = name_of("/a"));
}

static void end(uint64_t time_ns, uint64_t connection)
{
	FRAME_PUT(fw, time_ns, request_end, .connection = connection, .status = 200);
}

static void operator_opens(uint64_t time_ns, uint64_t scope)
{
	FRAME_PUT(fw, time_ns, torch_begin_ex, .name = name_of("aten::mm"), .scope = scope);
}

static void operator_closes(uint64_t time_ns)
{
	FRAME_PUT(fw, time_ns, torch_end);
}

static void launch(uint64_t time_ns, uint64_t correlation)
{
	CUDA_PUT(&c, time_ns, cuda_launch, "cudaLaunchKernel", 1, .correlation = correlation);
}

static void kernel(uint64_t time_ns, uint64_t correlation, uint64_t duration_ns)
{
	FRAME_PUT(fw, time_ns, gpu_kernel, .ago_ns = duration_ns, .duration_ns = duration_ns,
		  .correlation = correlation, .kernel = name_of("k"));
}

static const struct requests *requests_read(void)
{
	const struct requests *requests;

	recording_open();
	requests = requests_want(run, &(struct requests_options){ .by = BY_requests_request });
	recording_read();
	return requests;
}

/* Only what lies within the request, nested operators once, and no labels. */
TEST(operators_of_its_own_thread)
{
	const struct requests *requests;

	fw = recording_begin(1);
	operator_opens(500, 0);
	operator_closes(900);
	begin(1000, 1);
	operator_opens(1050, EVT_SCOPE_USER);
	operator_opens(1100, 0);
	operator_opens(1200, 0);
	operator_closes(1300);
	operator_closes(1400);
	operator_closes(1450);
	end(2000, 1);
	requests = requests_read();
	assert_true(requests->has_model);
	assert_int_equal(requests->row[0].model_ns, 300);
	assert_int_equal(requests->row[0].model_shared_ns, 0);
	recording_close();
}

/* Two requests of an event loop, and an executor's thread: each moment is divided. */
TEST(operators_of_a_thread_without_requests)
{
	const struct requests *requests;

	fw = recording_begin(1);
	begin(1000, 1);
	on_stream(2);
	operator_opens(1100, 0);
	on_stream(1);
	begin(1200, 2);
	end(1600, 1);
	on_stream(2);
	operator_closes(1700);
	operator_opens(1900, 0);
	on_stream(1);
	end(2000, 2);
	on_stream(2);
	operator_closes(2500);
	requests = requests_read();
	/* 100 alone and half of 400; half of 400, 100 alone, and 100 of the second */
	assert_int_equal(requests->row[0].model_ns, 300);
	assert_int_equal(requests->row[0].model_shared_ns, 300);
	assert_int_equal(requests->row[1].model_ns, 400);
	recording_close();
}

/* Several operators at once: a request has no more than the moment. */
TEST(two_threads_work_for_one_request)
{
	const struct requests *requests;

	fw = recording_begin(2);
	begin(1000, 1);
	on_stream(2);
	operator_opens(1100, 0);
	on_stream(4); /* of another process: none of its requests */
	operator_opens(1100, 0);
	operator_closes(1800);
	on_stream(2);
	operator_closes(1400);
	on_stream(1);
	end(2000, 1);
	requests = requests_read();
	assert_int_equal(requests->row[0].model_ns, 300);
	recording_close();
}

/* Work is reported late, after its request has ended, and with one that shares it. */
TEST(kernels_are_those_of_their_launches)
{
	const struct requests *requests;

	fw = recording_begin(1);
	launch(500, 1);
	begin(1000, 1);
	launch(1100, 2);
	begin(1200, 2);
	launch(1300, 3);
	end(1400, 1);
	launch(1500, 4);
	end(1600, 2);
	launch(1700, 5);
	for (uint64_t i = 1; i <= 5; i++)
		kernel(10000 + 1000 * i, i, 100 * i);
	requests = requests_read();
	assert_true(requests->has_gpu);
	assert_int_equal(requests->row[0].gpu_ns, 200 + 150);
	assert_int_equal(requests->row[1].gpu_ns, 150 + 400);
	recording_close();
}

/* Nothing was recorded: that is not known, and no zero. */
TEST(nothing_is_known)
{
	const struct requests *requests;

	fw = recording_begin(1);
	begin(1000, 1);
	end(1400, 1);
	requests = requests_read();
	assert_false(requests->has_model);
	assert_false(requests->has_gpu);
	recording_close();
}
