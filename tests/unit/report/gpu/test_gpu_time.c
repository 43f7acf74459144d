/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/gpu/gpu_time.c, kernel_class.c: how a device's time went, by HTA's definitions; what a kernel's name says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after the headers it needs */
#include <cmocka.h>

#include "report/gpu/gpu_time.h"
#include "report/gpu/kernel_class.h"
#include "tests/unit/gpu_recording.h"

#define SECOND 1000000000u

static const struct gpu_time *times;

struct where {
	uint64_t device, stream;
};

static void kernel(struct where at, uint64_t begin_ns, uint64_t took_ns, uint64_t correlation,
		   const char *text)
{
	KERNEL_PUT(SECOND, begin_ns, took_ns, correlation, text, .device = at.device,
		   .stream = at.stream);
}

static void finish(void)
{
	close_recording(2ull * SECOND);
	open_run(NULL);
	times = gpu_time_want(run, NULL);
	run_read(run, false);
}

/*
 * One device, two streams: computing from 1000 to 2000 and from 1500 to 2500, a collective from 2000 to 3000, a copy
 * from 5000 to 5100; told backwards.
 */
static void a_device_is_busy_when_anything_runs(void **state)
{
	const struct gpu_lane *lane;

	(void)state;
	start(2);
	for (uint64_t i = 1; i <= 4; i++)
		launch(100 * i, i);
	FRAME_PUT(c.r.fw, SECOND, gpu_copy, .ago_ns = SECOND - 5000, .duration_ns = 100,
		  .correlation = 4, .kind = 1, .stream = 7);
	kernel((struct where){ 0, 8 }, 2000, 1000, 3, "_Z10ncclKernelv");
	kernel((struct where){ 0, 8 }, 1500, 1000, 2, "b");
	kernel((struct where){ 0, 7 }, 1000, 1000, 1, "a");
	kernel((struct where){ 1, 7 }, 1000, 5, 1, "a"); /* of another device */
	finish();
	assert_int_equal(times->lane_count, 2);
	lane = &times->lane[times->lane[0].device != 0];
	assert_int_equal(lane->last_ns - lane->first_ns, 4100);
	assert_int_equal(lane->class_ns[GPU_COMPUTES], 1500);
	assert_int_equal(lane->class_ns[GPU_COMMUNICATES], 1000);
	assert_int_equal(lane->class_ns[GPU_COPIES_DATA], 100);
	assert_int_equal(lane->overlap_ns, 500);
	assert_int_equal(lane->busy_ns, 2100);
	assert_int_equal(lane->queue_max, 4);
	assert_true(lane->queue_ns > 5499 &&
		    lane->queue_ns < 5501); /* 500, 1000 and 4000 since 1000 */
	assert_int_equal(times->late, 0);
	release();
}

static void a_gap_is_of_whom_the_stream_waited_for(void **state)
{
	const struct gpu_stream_time *stream;

	(void)state;
	start(2);
	launch(1000, 1);
	launch(1100, 2);
	launch(1200, 3);
	launch(900000, 4);
	kernel((struct where){ 0, 7 }, 2000, 100, 1, "a");
	kernel((struct where){ 0, 7 }, 2100, 100, 2, "a");   /* at once: no gap */
	kernel((struct where){ 0, 7 }, 3000, 100, 2, "a");   /* 800 later */
	kernel((struct where){ 0, 7 }, 103100, 100, 3, "a"); /* was asked for long before */
	kernel((struct where){ 0, 7 }, 950000, 100, 4, "a"); /* was not */
	finish();
	stream = &times->stream[0];
	assert_int_equal(stream->gap_count[GPU_GAP_KERNEL], 1);
	assert_int_equal(stream->gap_ns[GPU_GAP_KERNEL], 800);
	assert_int_equal(stream->gap_count[GPU_GAP_OTHER], 1);
	assert_int_equal(stream->gap_ns[GPU_GAP_OTHER], 100000);
	assert_int_equal(stream->gap_count[GPU_GAP_HOST], 1);
	assert_int_equal(stream->gap_ns[GPU_GAP_HOST], 950000 - 103200);
	release();
}

static unsigned int class_of(const char *text)
{
	return kernel_class_of(text, strlen(text)) &
	       (KERNEL_USES_TENSOR_CORES | KERNEL_IS_COMMUNICATION);
}

static bool is(const char *text, unsigned int bit)
{
	return kernel_class_of(text, strlen(text)) & bit;
}

static void names_say_what_a_kernel_is(void **state)
{
	(void)state;
	assert_int_equal(class_of("ampere_sgemm_32x32_sliced1x4_nn"), 0);
	assert_int_equal(class_of("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn"),
			 KERNEL_USES_TENSOR_CORES);
	assert_int_equal(class_of("ampere_fp16_s16816gemm_fp16_64x64_sliced1x2_ldg8"),
			 KERNEL_USES_TENSOR_CORES);
	assert_int_equal(class_of("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n"),
			 KERNEL_USES_TENSOR_CORES);
	assert_int_equal(class_of("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTN"),
			 KERNEL_USES_TENSOR_CORES);
	assert_int_equal(class_of("_Z17summary_of_kernelPf"), 0);
	assert_int_equal(class_of("ncclDevKernel_AllReduce_Sum_f32_RING_LL"),
			 KERNEL_IS_COMMUNICATION);
	assert_int_equal(class_of("_Z39ncclDevKernel_AllReduce_Sum_f32_RING_LL24ncclDevKernelArgs"),
			 KERNEL_IS_COMMUNICATION);
	assert_int_equal(class_of("void at::native::nccl_like"), 0);
	assert_int_equal(class_of(""), 0);
	assert_int_equal(class_of("_Z"), 0);
	assert_true(is("ampere_sgemm_32x32_sliced1x4_nn", KERNEL_IS_OF_RECENT_GPU));
	assert_true(is("volta_sgemm_128x64_nt", KERNEL_IS_OF_RECENT_GPU));
	assert_false(is("maxwell_sgemm_128x64_nt", KERNEL_IS_OF_RECENT_GPU));
	assert_true(is("_ZN8cublasLt19splitKreduce_kernelILi32EEEvv", KERNEL_IS_HELPER));
	assert_true(is("void cudnn::ops::nchwToNhwcKernel<float>", KERNEL_IS_HELPER));
	assert_false(is("ampere_sgemm_32x32_sliced1x4_nn", KERNEL_IS_HELPER));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_is_busy_when_anything_runs),
		cmocka_unit_test(a_gap_is_of_whom_the_stream_waited_for),
		cmocka_unit_test(names_say_what_a_kernel_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
