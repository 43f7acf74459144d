/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/core/coverage.c, captured.c: what of a run was recorded, and what that means for what
 * still lives.
 */
#include "report/core/coverage.h"
#include "tests/unit/run_fixture.h"

static struct coverage_text text;

static void begin(const char *capture)
{
	cuda_recording_start(&c, 2);
	if (capture) {
		frame_begin_block(c.r.fw, 0);
		FRAME_PUT(c.r.fw, 0, meta, .key = cuda_recording_name(&c, "capture"),
			  .value = cuda_recording_name(&c, capture));
		frame_end_block(c.r.fw);
	}
	frame_begin_block(c.r.fw, 1);
}

static void finish(uint64_t to_ns)
{
	recording_end(1000000);
	run = run_new(source, &(struct filter_settings){
				      .pid = FILTER_NO_ID, .tid = FILTER_NO_ID, .to_ns = to_ns });
	run_read(run, false);
}

static void a_window(uint32_t stream, uint64_t from_ns, uint64_t to_ns)
{
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, stream);
	FRAME_PUT(c.r.fw, from_ns, capture_start, .name = 0);
	if (to_ns)
		FRAME_PUT(c.r.fw, to_ns, capture_stop, .name = 0);
}

TEST(a_whole_run_has_nothing_to_say)
{
	begin(NULL);
	FRAME_PUT(c.r.fw, 10, nvtx_pop, .domain = 0);
	finish(UINT64_MAX);
	assert_null(coverage_recorded(run, &text));
	assert_string_equal(coverage_still_live(run, &text), "never freed");
	recording_close();
}

TEST(windows_are_told_and_nothing_is_a_leak)
{
	begin("nvtx:X");
	a_window(1, 1000, 21000);
	a_window(3, 11000, 31000); /* of the other process, at the same time in part */
	a_window(1, 50000, 60000);
	finish(UINT64_MAX);
	assert_int_equal(run_captured(run)->windows, 3);
	assert_int_equal(run_captured(run)->total_ns, 40000);
	assert_string_equal(coverage_recorded(run, &text),
			    "recorded: 40.0 us of 1.00 ms, INTERCEPT_CAPTURE=nvtx:X");
	assert_string_equal(coverage_still_live(run, &text), "not freed while recording");
	recording_close();
}

TEST(a_window_without_an_end_goes_on_to_the_end_of_its_process)
{
	begin("cuda-profiler-api");
	a_window(1, 1000, 0);
	FRAME_PUT(c.r.fw, 501000, nvtx_pop, .domain = 0);
	finish(UINT64_MAX);
	assert_int_equal(run_captured(run)->total_ns, 500000);
	recording_close();
}

TEST(time_ends_what_is_told_of_what_lives)
{
	begin(NULL);
	FRAME_PUT(c.r.fw, 10, nvtx_pop, .domain = 0);
	finish(500000);
	assert_string_equal(coverage_still_live(run, &text), "not freed by 500 us");
	recording_close();
}
