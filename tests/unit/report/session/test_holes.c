/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/session/holes.c and report/core/known.c: between which moments events are missing, and
 * until when all is known.
 */
#include "tests/unit/unit.h"
#include "report/core/known.h"
#include "report/core/coverage.h"
#include "report/session/holes.h"
#include "report/session/source_open.h"
#include "tests/unit/cuda_recording.h"

static struct cuda_recording c, recordings[2];
static struct source *source;
static struct run *run;
static uint64_t marks;
static uint64_t cuts, marks_at_cut, cut_ns; /* of threads whose events were lost */

static void take(void *state, const struct source_event *event, bool counts)
{
	(void)event;
	marks += counts;
}

static void start(void *state, struct run *of, const void *options)
{
	(void)options;
	run_reads(of, EVT_nvtx_mark, 0, take, state);
}

static void cut(void *state, const struct cut *cut)
{
	if (cut->reason != CUT_LOST || !cut->thread)
		return;
	if (!cuts++) {
		marks_at_cut = marks;
		cut_ns = cut->time_ns;
	}
}

static const struct analysis_kind kind = { .name = "marks",
					   .state_bytes = 1,
					   .start = start,
					   .cut = cut };

/* A frame with a mark at each of two times. */
static void put_frame(uint64_t first_ns, uint64_t second_ns)
{
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, first_ns, nvtx_mark, .name = 0);
	FRAME_PUT(c.r.fw, second_ns, nvtx_mark, .name = 0);
	frame_end_block(c.r.fw);
}

static void lose(uint64_t time_ns, uint64_t process, uint64_t count, uint64_t reason)
{
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, time_ns, lost, .process = process, .count = count, .reason = reason);
	frame_end_block(c.r.fw);
}

static void read_to(size_t length, uint64_t to_ns)
{
	static char path[] = "memory.evt";
	struct filter_settings filter = { .pid = FILTER_NO_ID,
					  .tid = FILTER_NO_ID,
					  .to_ns = to_ns };
	struct session_file file = { .path = path };
	char message[256];

	file.bytes = bytes_of(c.r.bytes, length);
	assert_int_equal(source_open_files(&source, &file, 1, message, sizeof(message)), 0);
	run = run_new(source, &filter);
	(void)run_want(run, &kind, NULL);
	marks = cuts = 0;
	run_read(run, false);
}

static void close_run(void)
{
	run_free(run);
	source_close(source);
}

static void expect_hole(size_t at, uint64_t from_ns, uint64_t to_ns)
{
	const struct source_hole *hole;

	assert_true(source_holes(source, &hole) > at);
	assert_int_equal(hole[at].from_ns, from_ns);
	assert_int_equal(hole[at].to_ns, to_ns);
}

static void expect_still_live(const char *wanted)
{
	struct coverage_text text;

	assert_string_equal(coverage_still_live(run, &text), wanted);
}

TEST(without_losses_all_is_known)
{
	const struct source_hole *hole;

	cuda_recording_start(&c, 1);
	put_frame(100, 200);
	cuda_recording_finish(&c, 5000);
	read_to(c.r.length, UINT64_MAX);
	assert_int_equal(source_holes(source, &hole), 0);
	assert_int_equal(source_known_ns(source), 5000);
	assert_true(known_within(run, 4000, 5000));
	expect_still_live("never freed");
	close_run();
	read_to(c.r.length, 150);
	assert_int_equal(known_until_ns(run), 150);
	assert_false(known_within(run, 150, 5000));
	expect_still_live("not freed by 150 ns");
	close_run();
	cuda_recording_release(&c);
}

/*
 * The file was full at 1000; what the last frame still has of the program is left out, and counted.
 */
TEST(a_full_file_is_known_until_it_was_full)
{
	const struct source_loss *loss;

	cuda_recording_start(&c, 1);
	put_frame(100, 200);
	recording_close_frame(&c.r, 1000);
	put_frame(8800, 8900);
	lose(9000, 0, 500, EVT_LOST_LIMIT);
	cuda_recording_finish(&c, 9000);
	read_to(c.r.length, UINT64_MAX);
	assert_int_equal(marks, 2);
	assert_int_equal(source_end_ns(source), 9000);
	assert_int_equal(source_known_ns(source), 1000);
	expect_hole(0, 1000, 9000);
	assert_true(known_within(run, 900, 1100));
	assert_false(known_within(run, 1000, 1100));
	assert_int_equal(source_losses(source, &loss), 1);
	assert_int_equal(loss[0].count, 502);
	assert_int_equal(loss[0].from_ns, 1000);
	assert_int_equal(loss[0].to_ns, 9000);
	expect_still_live("not freed by 1.00 us");
	close_run();
	cuda_recording_release(&c);
}

/* The disk had room again: a hole, and what comes after it is told. */
TEST(a_disk_that_was_full_leaves_a_hole)
{
	cuda_recording_start(&c, 1);
	put_frame(100, 200);
	recording_close_frame(&c.r, 1000);
	put_frame(3000, 3100);
	lose(4000, 0, 500, EVT_LOST_DISK);
	recording_close_frame(&c.r, 4000);
	put_frame(4200, 4300);
	cuda_recording_finish(&c, 5000);
	read_to(c.r.length, UINT64_MAX);
	assert_int_equal(marks, 6);
	assert_int_equal(source_known_ns(source), 5000);
	expect_hole(0, 1000, 3000);
	assert_true(cuts > 0); /* what was open ends there, before what comes after it */
	assert_int_equal(marks_at_cut, 2);
	assert_int_equal(cut_ns, 1000);
	assert_false(known_within(run, 1500, 2500));
	assert_true(known_within(run, 2500, 3500));
	expect_still_live("never freed");
	close_run();
	cuda_recording_release(&c);
}

/*
 * Two files of two processes at the same times: one has a hole until 3000, and its process ends at
 * `end_ns`.
 */
static void read_two(uint64_t end_ns)
{
	static char path[2][16] = { "one.evt", "two.evt" };
	struct filter_settings filter = { .pid = FILTER_NO_ID,
					  .tid = FILTER_NO_ID,
					  .to_ns = UINT64_MAX };
	struct session_file file[2] = { { .path = path[0] }, { .path = path[1] } };
	char message[256];

	for (int i = 0; i < 2; i++) {
		cuda_recording_start(&c, 1);
		put_frame(100, 200);
		recording_close_frame(&c.r, 1000);
		if (i || end_ns > 3100)
			put_frame(i ? 1200 : 3000, i ? 1300 : 3100);
		if (!i)
			lose(4000, 0, 500, EVT_LOST_DISK);
		recording_close_frame(&c.r, 4000);
		frame_begin_block(c.r.fw, 0);
		FRAME_PUT(c.r.fw, i ? 4900 : end_ns, process_end, .process = 1);
		frame_end_block(c.r.fw);
		cuda_recording_finish(&c, 5000);
		file[i].bytes = bytes_of(c.r.bytes, c.r.length);
		recordings[i] = c;
	}
	assert_int_equal(source_open_files(&source, file, 2, message, sizeof(message)), 0);
	run = run_new(source, &filter);
	(void)run_want(run, &kind, NULL);
	run_read(run, false);
}

static void close_two(void)
{
	close_run();
	for (int i = 0; i < 2; i++)
		cuda_recording_release(&recordings[i]);
}

TEST(a_hole_of_one_file_is_one_of_the_sum)
{
	read_two(4500);
	assert_false(known_within(run, 1500, 2500));
	assert_true(known_within(run, 3200, 3500));
	close_two();
}

TEST(a_file_whose_processes_are_over_is_missed_nowhere)
{
	read_two(900);
	assert_true(known_within(run, 1500, 2500));
	close_two();
}

TEST(a_full_ring_is_a_hole_of_its_process)
{
	const struct source_hole *hole;

	cuda_recording_start(&c, 2);
	put_frame(100, 200);
	recording_close_frame(&c.r, 1000);
	put_frame(1200, 1300);
	lose(1400, 2, 5, EVT_LOST_FULL);
	recording_close_frame(&c.r, 2000);
	lose(2400, 2, 5, EVT_LOST_FULL);
	cuda_recording_finish(&c, 5000);
	read_to(c.r.length, UINT64_MAX);
	assert_int_equal(source_holes(source, &hole), 2);
	expect_hole(0, 1000, 1400);
	expect_hole(1, 2000, 2400);
	assert_int_equal(hole[0].process->pid, 101);
	assert_true(known_within(run, 1100, 1200)); /* other processes lost nothing */
	assert_int_equal(source_known_ns(source), 5000);
	close_run();
	cuda_recording_release(&c);
}

TEST(a_file_that_breaks_off_says_so)
{
	size_t length;

	cuda_recording_start(&c, 1);
	put_frame(100, 200);
	recording_close_frame(&c.r, 1000);
	length = c.r.length;
	put_frame(1100, 1200);
	cuda_recording_finish(&c, 5000);
	read_to(length, UINT64_MAX);
	assert_int_equal(known_until_ns(run), 1000);
	expect_still_live("not freed by 1.00 us");
	close_run();
	cuda_recording_release(&c);
}
