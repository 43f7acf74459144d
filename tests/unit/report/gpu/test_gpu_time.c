/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/gpu/gpu_time.c, kernel_class.c: how a device's time went, by HTA's definitions; what a
 * kernel's name says.
 */
#include "tests/unit/unit.h"
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
 * One device, two streams: computing from 1000 to 2000 and from 1500 to 2500, a collective from
 * 2000 to 3000, a copy from 5000 to 5100; told backwards.
 */
TEST(a_device_is_busy_when_anything_runs)
{
	const struct gpu_lane *lane;

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

static void window(uint64_t time_ns, bool on, uint64_t step)
{
	FRAME_PUT(c.r.fw, time_ns, gpu_window, .on = on, .step = step);
}

/*
 * INTERCEPT_GPU_STEPS: on up to 3000, and from 10000 to 12000. Kernels from 1000 to 2000; from 2500
 * to 3500, over the end; from 9000 to 10500, whose call was not recorded, over the begin; from
 * 11000 to 11500; from 12500 to 13000, unseen.
 */
TEST(between_windows_a_device_is_neither_busy_nor_idle)
{
	const struct gpu_stream_time *stream;
	const struct gpu_lane *lane;

	start(2);
	launch(900, 1);
	launch(2400, 2);
	window(3000, false, 2);
	window(3001, false, 2); /* a segment repeats it */
	window(10000, true, 9);
	launch(10900, 4);
	window(12000, false, 11);
	kernel((struct where){ 0, 7 }, 1000, 1000, 1, "a");
	kernel((struct where){ 0, 7 }, 2500, 1000, 2, "a");
	kernel((struct where){ 0, 7 }, 9000, 1500, 0, "a");
	kernel((struct where){ 0, 7 }, 11000, 500, 4, "a");
	kernel((struct where){ 0, 7 }, 12500, 500, 0, "a");
	finish();
	assert_int_equal(times->lane_count, 1);
	lane = &times->lane[0];
	assert_int_equal(lane->busy_ns, 1000 + 500 + 500 + 500);
	assert_int_equal(lane->first_ns, 1000);
	assert_int_equal(lane->last_ns, 11500);
	assert_int_equal(gpu_time_span(times, lane), 2000 + 1500);
	stream = &times->stream[0];
	assert_int_equal(stream->gap_ns[GPU_GAP_HOST] + stream->gap_ns[GPU_GAP_KERNEL] +
				 stream->gap_ns[GPU_GAP_OTHER],
			 500 + 500);
	assert_int_equal(times->gap_count, 0);
	assert_int_equal(run_gpu_windows(run)->until_ns, 3000);
	release();
}

TEST(a_gap_is_of_whom_the_stream_waited_for)
{
	const struct gpu_stream_time *stream;

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

/* --- against sums that are made without any order --- */

#define PIECES 1200u
#define LANES 2u
#define STREAMS 3u
#define WINDOWS 60u
#define GRID 1000000u /* ns; so that much happens at the same moments */

struct piece {
	uint64_t call_ns, start_ns, end_ns;
	uint32_t lane, stream;
	bool is_copy, is_told;
};

static struct piece all[PIECES]; /* in the order of their calls */
static uint32_t told[PIECES];    /* in the order of their telling */
static uint32_t told_count;

static uint64_t pick(uint64_t *seed, uint64_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (*seed >> 33) % below;
}

/* Of the calls up to there some pieces, or all; in no order. */
static void tell(uint64_t *seed, uint64_t time_ns, uint32_t calls, bool tells_all)
{
	uint32_t first = (uint32_t)pick(seed, calls);

	for (uint32_t i = 0; i < calls; i++) {
		uint32_t at = (first + i) % calls;
		struct piece *piece = &all[at];
		bool is_old = piece->end_ns + 4ull * SECOND < time_ns;

		if (piece->is_told || piece->end_ns > time_ns ||
		    (!tells_all && !is_old && pick(seed, 3)))
			continue;
		piece->is_told = true;
		told[told_count++] = at;
		if (piece->is_copy)
			FRAME_PUT(c.r.fw, time_ns, gpu_copy,
				  .ago_ns = (int64_t)(time_ns - piece->start_ns),
				  .duration_ns = piece->end_ns - piece->start_ns,
				  .correlation = at + 1, .kind = 1, .device = piece->lane,
				  .stream = piece->stream);
		else
			KERNEL_PUT(time_ns, piece->start_ns, piece->end_ns - piece->start_ns,
				   at + 1, "a", .device = piece->lane, .stream = piece->stream);
	}
}

static void make_pieces(uint64_t seed)
{
	uint32_t calls = 0;

	told_count = 0;
	start(2);
	for (uint32_t window = 1; window <= WINDOWS; window++) {
		uint64_t begin_ns = (uint64_t)window * SECOND;

		for (uint32_t i = 0; i < PIECES / WINDOWS && window != 20; i++, calls++) {
			struct piece *piece = &all[calls];
			uint64_t call_ns = begin_ns + i * 5ull * GRID + LAUNCH_NS;

			*piece = (struct piece){ .call_ns = call_ns - LAUNCH_NS,
						 .start_ns = begin_ns +
							     (i * 5 + pick(&seed, 2500)) * GRID,
						 .lane = !pick(&seed, 4),
						 .stream = (uint32_t)pick(&seed, STREAMS),
						 .is_copy = !pick(&seed, 5) };
			piece->end_ns = piece->start_ns + pick(&seed, 40) * GRID;
			launch(call_ns, calls + 1);
			for (int more = 0; more < 8;
			     more++) /* what is settled is asked for now and then */
				launch(call_ns, 0);
		}
		tell(&seed, begin_ns + SECOND - GRID, calls, window == WINDOWS);
		frame_end_block(c.r.fw);
		recording_close_frame(&c.r, begin_ns + SECOND - GRID);
		frame_begin_block(c.r.fw, 1);
	}
	tell(&seed, (WINDOWS + 4ull) * SECOND, calls, true);
	close_recording((WINDOWS + 5ull) * SECOND);
	open_run(NULL);
	times = gpu_time_want(run, NULL);
	run_read(run, false);
}

/* Of the lane's pieces, how many run in the stretch of the grid that begins then. */
static uint32_t running(uint32_t lane, uint64_t time_ns, bool is_copy)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < told_count; i++) {
		const struct piece *piece = &all[told[i]];

		count += piece->lane == lane && piece->is_copy == is_copy &&
			 piece->start_ns <= time_ns && piece->end_ns > time_ns;
	}
	return count;
}

/*
 * Calls that have begun to wait by then, and whose pieces begin at `time_ns` or later, or later
 * only.
 */
static uint32_t waiting(uint32_t lane, uint64_t time_ns, bool counts_those_that_begin)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < told_count; i++) {
		const struct piece *piece = &all[told[i]];

		count += piece->lane == lane && piece->call_ns <= time_ns &&
			 piece->start_ns + counts_those_that_begin > time_ns;
	}
	return count;
}

static void compare_lane(const struct gpu_lane *lane)
{
	struct gpu_lane sums = { .first_ns = UINT64_MAX };

	for (uint32_t i = 0; i < told_count; i++) {
		const struct piece *piece = &all[told[i]];

		if (piece->lane != lane->device)
			continue;
		sums.first_ns = piece->start_ns < sums.first_ns ? piece->start_ns : sums.first_ns;
		sums.last_ns = piece->end_ns > sums.last_ns ? piece->end_ns : sums.last_ns;
	}
	for (uint64_t at = SECOND; at < sums.last_ns; at += GRID) {
		uint32_t computes = running(lane->device, at, false);
		uint32_t copies = running(lane->device, at, true);
		uint32_t most = waiting(lane->device, at, true);

		sums.class_ns[GPU_COMPUTES] += computes ? GRID : 0;
		sums.class_ns[GPU_COPIES_DATA] += copies ? GRID : 0;
		sums.busy_ns += computes || copies ? GRID : 0;
		sums.queue_max = most > sums.queue_max ? most : sums.queue_max;
		if (at >= sums.first_ns)
			sums.queue_ns += (double)waiting(lane->device, at, false) * GRID;
	}
	assert_true(lane->first_ns == sums.first_ns);
	assert_true(lane->last_ns == sums.last_ns);
	assert_true(lane->class_ns[GPU_COMPUTES] == sums.class_ns[GPU_COMPUTES]);
	assert_true(lane->class_ns[GPU_COPIES_DATA] == sums.class_ns[GPU_COPIES_DATA]);
	assert_true(lane->busy_ns == sums.busy_ns);
	assert_int_equal(lane->queue_max, sums.queue_max);
	assert_true(lane->queue_ns == sums.queue_ns); /* whole numbers below 2^53 */
}

/* What the stream has done nothing in, whatever it waited for. */
static uint64_t idle_ns(uint32_t lane, uint32_t stream)
{
	uint64_t first_ns = UINT64_MAX, last_ns = 0, idle = 0;

	for (uint32_t i = 0; i < told_count; i++) {
		const struct piece *piece = &all[told[i]];

		if (piece->lane != lane || piece->stream != stream)
			continue;
		first_ns = piece->start_ns < first_ns ? piece->start_ns : first_ns;
		last_ns = piece->start_ns > last_ns ? piece->start_ns : last_ns;
	}
	for (uint64_t at = first_ns; at < last_ns; at += GRID) {
		bool is_busy = false;

		for (uint32_t i = 0; i < told_count && !is_busy; i++) {
			const struct piece *piece = &all[told[i]];

			is_busy = piece->lane == lane && piece->stream == stream &&
				  piece->start_ns <= at && piece->end_ns > at;
		}
		idle += is_busy ? 0 : GRID;
	}
	return idle;
}

TEST(times_are_those_of_sums_without_order)
{
	for (uint64_t seed = 1; seed <= 2; seed++) {
		make_pieces(seed);
		assert_int_equal(told_count, PIECES - PIECES / WINDOWS);
		assert_int_equal(times->late, 0);
		assert_int_equal(times->lane_count, LANES);
		assert_int_equal(times->stream_count, LANES * STREAMS);
		for (uint32_t i = 0; i < LANES; i++)
			compare_lane(&times->lane[i]);
		for (uint32_t i = 0; i < LANES * STREAMS; i++) {
			const struct gpu_stream_time *stream = &times->stream[i];
			uint64_t gaps = 0;

			for (int gap = 0; gap < GPU_GAPS; gap++)
				gaps += stream->gap_ns[gap];
			assert_true(gaps ==
				    idle_ns(times->lane[stream->lane].device, stream->stream));
		}
		assert_true(times->gap_count > 0);
		release();
	}
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

TEST(names_say_what_a_kernel_is)
{
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
