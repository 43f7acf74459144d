/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/summary/summary_screen.c: the first screen of recordings in memory has no more lines than
 * a screen, none wider than it, and ends with a command; in a narrow screen and for a recording
 * without events, too.
 */
#include "tests/unit/unit.h"
#include "report/core/report_kind.h"
#include "report/options/options.h"
#include "report/summary/summary_screen.h"
#include "tests/unit/run_fixture.h"

static char *summary_text(size_t width, bool utf8, bool is_terminal)
{
	char *argument[] = { (char[]){ "prof-report" }, (char[]){ "summary" }, NULL };
	struct report_request request = { .source = source };
	struct options options;
	char message[512], *text = NULL;
	size_t length;

	assert_int_equal(options_parse(&options, 2, argument, message, sizeof(message)), 0);
	request.options = &options;
	request.screen = (struct screen){ .out = open_memstream(&text, &length),
					  .width = width,
					  .utf8 = utf8,
					  .is_terminal = is_terminal };
	assert_non_null(request.screen.out);
	assert_int_equal(report_run(&report_kind_summary, &request), STATUS_OK);
	fclose(request.screen.out);
	request_release(&request);
	options_release(&options);
	return text;
}

static char *screen_text(size_t width, bool utf8)
{
	return summary_text(width, utf8, true);
}

/* Characters, not bytes. */
static size_t width_of(const char *line, const char *end)
{
	size_t width = 0;

	for (; line < end; line++)
		width += (*line & 0xc0) != 0x80;
	return width;
}

static void judge(size_t width, unsigned int lines_max, bool utf8)
{
	char *text = screen_text(width, utf8);
	unsigned int lines = 0;

	for (const char *line = text, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		assert_true(width_of(line, end) <= width);
		lines++;
	}
	assert_in_range(lines, 2, lines_max);
	assert_non_null(strstr(text, "next:"));
	free(text);
}

static void put_training(struct frame_writer *fw)
{
	for (uint64_t i = 0; i < 20; i++) {
		FRAME_PUT(fw, 1000 + 10000 * i, step, .number = i, .name = name_of("step"));
		FRAME_PUT(fw, 2000 + 10000 * i, nvtx_push, .domain = name_of(""),
			  .name = name_of("forward"));
		FRAME_PUT(fw, 6000 + 10000 * i, nvtx_pop, .domain = name_of(""));
	}
}

TEST(a_training_fits_the_screen)
{
	put_training(recording_begin(2));
	recording_open();
	judge(SCREEN_COLUMNS, SCREEN_LINES, true);
	run_free(run);
	source_close(source);
	cuda_recording_release(&c);
}

TEST(a_narrow_screen_has_more_lines)
{
	put_training(recording_begin(1));
	recording_open();
	judge(SCREEN_COLUMNS / 2, 2 * SCREEN_LINES, false);
	recording_close();
}

/* Half of each step is an operator; the first step has none, and takes as long as all others. */
static void put_slow_start(struct frame_writer *fw)
{
	uint64_t now = 1000;

	for (uint64_t i = 0; i < 20; i++) {
		FRAME_PUT(fw, now, step, .number = i, .name = name_of("step"));
		if (i) {
			FRAME_PUT(fw, now + 1000, torch_begin_ex, .name = name_of("aten::mm"),
				  .sequence = -1, .thread = 1);
			frame_put(fw, EVT_torch_end, now + 6000, &now);
		}
		now += i ? 10000 : 190000;
	}
}

/* What is said of a step is of the steps after the warm-up, in the bar and in the sentences. */
TEST(shares_leave_the_first_step_out)
{
	static const char *const said[] = {
		"without the first step",
		"In the steps, without the first step: operators 50.0 %, other 50.0 %.",
		"By phase, with the time outside of operators: evaluation 100",
	};
	char *text;

	put_slow_start(recording_begin(1));
	recording_open();
	text = summary_text(200, false, false);
	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++)
		if (!strstr(text, said[i]))
			fail_msg("'%s' is not in:\n%s", said[i], text);
	free(text);
	recording_close();
}

/* `runnable_ms` of 100 ms; the thread has a CPU for 10 of them. */
static char *text_of_ready_thread(uint64_t runnable_ms)
{
	struct frame_writer *fw = recording_begin(1);
	char *text;

	on_stream(0);
	FRAME_PUT(fw, 1, thread, .stream = 9, .process = 1, .tid = 300, .cpu_ns = 1);
	on_stream(9);
	for (uint64_t ms = 0; ms <= 100; ms += 100)
		FRAME_PUT(fw, ms * 1000000 + 1, malloc, .ptr = 0x1000 + ms, .size = 16);
	on_stream(0);
	FRAME_PUT(fw, 100000000, thread_sched, .stream = 9, .cpu_ns = 10000000,
		  .runnable_ns = runnable_ms * 1000000);
	recording_open();
	text = summary_text(200, false, false);
	recording_close();
	return text;
}

/* What is known is said before what is not. */
TEST(a_thread_without_a_cpu_is_said_to_have_none)
{
	char *text = text_of_ready_thread(80);

	if (!strstr(text,
		    "was ready to run, but had no CPU, for 80 % of its life. Nothing recorded "
		    "shows what its CPU time went to."))
		fail_msg("%s", text);
	free(text);
	text = text_of_ready_thread(40);
	if (!strstr(text, "Nothing recorded shows what its time went to."))
		fail_msg("%s", text);
	free(text);
}

TEST(nothing_was_recorded)
{
	recording_begin(1);
	recording_open();
	judge(SCREEN_COLUMNS, SCREEN_LINES, false);
	recording_close();
}
