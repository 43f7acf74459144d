/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/gpu/unreported.c over recordings in memory: calls whose work never came, and all that is
 * none of them.
 */
#include "tests/unit/unit.h"
#include "report/gpu/unreported.h"
#include "tests/unit/gpu_recording.h"

#define SECOND 1000000000ull

static const struct unreported *unreported;

static void start_with_cupti(void)
{
	start(2);
	FRAME_PUT(c.r.fw, 100, gpu_cupti, .state = EVT_GPU_STARTED);
}

static void copy(uint64_t time_ns, uint64_t correlation, uint64_t kind, uint64_t bytes)
{
	CUDA_PUT(&c, time_ns, cuda_copy, "cudaMemcpyAsync", 5, .kind = kind, .bytes = bytes,
		 .correlation = correlation);
}

static void launch_graph(uint64_t time_ns, uint64_t correlation, uint64_t graph)
{
	CUDA_PUT(&c, time_ns, cuda_call, "cudaGraphLaunch", 5, .object = graph,
		 .correlation = correlation);
}

static void call(uint64_t time_ns, const char *function)
{
	CUDA_PUT(&c, time_ns, cuda_call, function, 5, .stream = 7);
}

static void launch_hidden(uint64_t time_ns, uint64_t correlation, const char *function)
{
	FRAME_PUT(c.r.fw, time_ns, gpu_call, .function = name(function), .duration_ns = 5,
		  .correlation = correlation);
}

static void kernel(uint64_t told_ns, uint64_t correlation)
{
	KERNEL_PUT(told_ns, told_ns - 10, 5, correlation, "k");
}

static void read_within(uint64_t from_ns, uint64_t to_ns)
{
	const struct filter_settings filter = {
		.pid = FILTER_NO_ID, .tid = FILTER_NO_ID, .from_ns = from_ns, .to_ns = to_ns
	};

	close_recording(5 * SECOND);
	open_run(&filter);
	unreported = unreported_want(run, NULL);
	run_read(run, false);
}

static void finish(void)
{
	read_within(0, UINT64_MAX);
}

TEST(calls_without_work_count)
{
	start_with_cupti();
	launch(1000, 1);
	launch(1100, 2);
	copy(1200, 3, EVT_CUDA_COPY_HTOD, 10);
	copy(1300, 4, EVT_CUDA_COPY_MEMSET, 10);
	launch_hidden(1400, 5, "cuLaunchKernelEx");
	launch_hidden(1500, 6, "cudaLaunchKernel");
	kernel(SECOND, 1);
	kernel(SECOND, 6);
	finish();
	assert_int_equal(unreported->calls, 4);
	assert_int_equal(unreported->most, 4);
	assert_int_equal(unreported->processes, 1);
	release();
}

TEST(what_has_no_work_does_not_count)
{
	start_with_cupti();
	launch(103, 1);                          /* began before CUPTI had started */
	launch(1000, 0);                         /* CUPTI gave it no number */
	copy(1100, 2, EVT_CUDA_COPY_HTOD, 0);    /* of nothing */
	copy(1200, 3, EVT_CUDA_COPY_HTOH, 10);   /* CUPTI need not see it */
	copy(1300, 4, EVT_CUDA_COPY_DEFAULT, 1); /* may be the same */
	CUDA_PUT(&c, 1400, cuda_launch, "cudaLaunchKernel", 5, .correlation = 5, .result = 1);
	CUDA_PUT(&c, 1500, cuda_copy, "cudaMemset", 5, .kind = EVT_CUDA_COPY_MEMSET, .bytes = 1,
		 .correlation = 6, .result = 1);
	CUDA_PUT(&c, 1600, cuda_call, "cudaDeviceSynchronize", 5, .correlation = 7);
	launch_hidden(1700, 8, "cuMemcpyHtoD_v2");
	launch_hidden(1800, 9, "cudaDeviceSynchronize");
	finish();
	assert_int_equal(unreported->calls, 0);
	release();
}

TEST(what_is_captured_does_not_count)
{
	start_with_cupti();
	call(900, "cudaStreamBeginCapture");
	launch(1000, 1);
	call(1100, "cudaStreamEndCapture");
	FRAME_PUT(c.r.fw, 1198, gpu_captured, .node = 1, .graph = 1); /* within the next call */
	launch_hidden(1200, 2, "cuLaunchKernel");
	launch(1300, 3);
	finish();
	assert_int_equal(unreported->calls, 1);
	release();
}

/* Where nodes are not told, a launch that is not interposed may be captured. */
TEST(of_graphs_without_nodes_hidden_launches_do_not_count)
{
	start_with_cupti();
	launch_hidden(1200, 2, "cuLaunchKernel");
	launch_hidden(1300, 3, "cudaGraphLaunch");
	finish();
	assert_int_equal(unreported->calls, 0);
	release();
}

TEST(a_graph_counts_once_it_had_work)
{
	start_with_cupti();
	launch_graph(1000, 1, 0xa0);
	launch_graph(1100, 2, 0xa0);
	launch_graph(1200, 3, 0xb0); /* may be empty */
	kernel(SECOND, 1);
	kernel(SECOND, 1);
	finish();
	assert_int_equal(unreported->calls, 1);
	release();
}

TEST(each_loss_counts_once)
{
	start_with_cupti();
	launch(1000, 1);
	launch(1100, 2);
	launch(1200, 3);
	FRAME_PUT(c.r.fw, SECOND, gpu_lost, .count = 2, .reason = EVT_GPU_LOST_DROPPED);
	finish();
	assert_int_equal(unreported->calls, 1);
	release();

	start_with_cupti();
	launch(1000, 1);
	FRAME_PUT(c.r.fw, SECOND, gpu_lost, .count = 2, .reason = EVT_GPU_LOST_STRANGE);
	finish();
	assert_int_equal(unreported->calls, 0);
	release();
}

TEST(what_is_left_to_another_does_not_count)
{
	start_with_cupti();
	launch(1000, 1);
	FRAME_PUT(c.r.fw, SECOND, gpu_cupti, .state = EVT_GPU_LEFT);
	finish();
	assert_int_equal(unreported->calls, 0);
	release();
}

/* A number that comes again is another call's; work of the first may have come under it. */
TEST(numbers_may_come_again)
{
	start_with_cupti();
	launch(1000, 1);
	launch(1100, 1);
	finish();
	assert_int_equal(unreported->calls, 1);
	release();
}

TEST(filters_look_at_the_call)
{
	start_with_cupti();
	launch(1000, 1);
	launch(2000, 2);
	launch(3000, 3);
	kernel(SECOND, 2);
	read_within(1500, 3500);
	assert_int_equal(unreported->calls, 1);
	release();
}
