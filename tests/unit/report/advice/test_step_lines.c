/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/advice/step_lines.c: what a sample is of, by what is open on its thread. */
#include "tests/unit/unit.h"
#include "report/advice/compile_wraps.h"
#include "report/advice/step_lines.h"
#include "report/session/source_open.h"
#include "tests/unit/cuda_recording.h"

#define MS 1000000ull
#define FRAMEWORK "/v/lib/python3.11/site-packages/framework/train.py"

static struct evidence evidence;

static void opens(enum evidence_kind kind)
{
	evidence_open(&evidence, &(struct evidence_opening){ .kind = kind, .name = 1 });
}

static enum step_lines_of is_of(void)
{
	static const struct helpers nobody;

	return step_lines_open_on(&evidence, &nobody, 0, 0);
}

/* A copy that an operator asks for is the operator's, not one of the user's own. */
TEST(copies_of_other_operators)
{
	evidence_init(&evidence);
	assert_int_equal(is_of(), STEP_LINES_OUTSIDE);
	opens(EVIDENCE_COPY);
	assert_int_equal(is_of(), STEP_LINES_CLONES);
	evidence_close(&evidence, (struct nest_place){ .time_ns = 1 });
	opens(EVIDENCE_OPERATOR);
	assert_int_equal(is_of(), STEP_LINES_OPERATORS);
	opens(EVIDENCE_COPY);
	assert_int_equal(is_of(), STEP_LINES_OPERATORS);
	opens(EVIDENCE_ITEM);
	assert_int_equal(is_of(), STEP_LINES_WAITS);
	evidence_release(&evidence);
}

/* What autograd runs again is no line to change: neither its operators nor their copies. */
TEST(backward_is_no_operator_of_the_users)
{
	evidence_init(&evidence);
	opens(EVIDENCE_BACKWARD);
	assert_int_equal(is_of(), STEP_LINES_BACKWARD);
	opens(EVIDENCE_OPERATOR);
	assert_int_equal(is_of(), STEP_LINES_BACKWARD);
	opens(EVIDENCE_COPY);
	assert_int_equal(is_of(), STEP_LINES_BACKWARD);
	opens(EVIDENCE_ITEM);
	assert_int_equal(is_of(), STEP_LINES_WAITS);
	evidence_release(&evidence);
}

/* --- lines of steps --- */

static struct cuda_recording c;
static struct source *source;
static struct run *run;
static uint64_t now, number;

static void define_place(uint64_t id, uint64_t from, const char *function, const char *file,
			 uint64_t line)
{
	FRAME_PUT(c.r.fw, 1, python_code, .id = id, .function = cuda_recording_name(&c, function),
		  .file = cuda_recording_name(&c, file), .line = 1);
	FRAME_PUT(c.r.fw, 1, python_place, .id = id, .from = from, .code = id, .line = line);
}

/*
 * main.py:20 prepares data by its function read(), and main.py:9 calls fit() of a framework, which
 * trains, evaluates, saves, and calls metrics() of the user's, at two lines.
 */
static void start_steps(void)
{
	now = 10 * MS;
	number = 0;
	cuda_recording_start(&c, 1);
	frame_begin_block(c.r.fw, 0);
	define_place(1, 0, "<module>", "/home/me/main.py", 9);
	define_place(2, 1, "fit", FRAMEWORK, 100);
	define_place(3, 2, "train", FRAMEWORK, 200);
	define_place(4, 2, "evaluate", FRAMEWORK, 300);
	define_place(5, 4, "metrics", "/home/me/main.py", 3);
	FRAME_PUT(c.r.fw, 1, python_place, .id = 6, .from = 4, .code = 5, .line = 4);
	define_place(7, 0, "<module>", "/home/me/main.py", 20);
	define_place(8, 7, "read", "/home/me/main.py", 15);
	define_place(9, 0, "<module>", "/home/me/main.py", 1);
	define_place(10, 9, "_find_and_load", "<frozen importlib._bootstrap>", 1176);
	define_place(11, 1, "compile_wrapper",
		     "/v/lib/python3.11/site-packages/torch/_dynamo/eval_frame.py", 1265);
	define_place(12, 11, "forward", "/home/me/main.py", 5);
	define_place(13, 0, "write", FRAMEWORK, 400);
	define_place(14, 0, "scores", "/home/me/main.py", 31);
	FRAME_PUT(c.r.fw, 1, python_place, .id = 15, .from = 14, .code = 8, .line = 15);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 1);
}

static void samples_at(uint64_t place, unsigned int times)
{
	while (times--) {
		now += 20 * MS;
		FRAME_PUT(c.r.fw, now, python_sample, .place = place, .state = EVT_PYTHON_RUNS,
			  .cpu_us = 20000, .looks = 1);
	}
}

/* The loop waits for the GIL at one place, which another thread has at the other. */
static void gil_samples_at(uint64_t place, uint64_t holder_place, unsigned int times)
{
	while (times--) {
		now += 20 * MS;
		FRAME_PUT(c.r.fw, now, python_sample, .place = place, .state = EVT_PYTHON_GIL,
			  .looks = 1, .holder = 2, .holder_place = holder_place);
	}
}

static void step(void)
{
	FRAME_PUT(c.r.fw, now += MS, step, .number = number++);
}

/* Ten steps, of which each fifth is also at these places. */
static void steps_with(uint64_t one, uint64_t other)
{
	step();
	for (unsigned int i = 1; i <= 10; i++) {
		samples_at(3, 4);
		samples_at(one, i % 5 ? 0 : 12);
		samples_at(other, i % 5 ? 0 : 12);
		step();
	}
}

static const struct step_lines *read_steps(void)
{
	static char path[] = "one.evt";
	const struct filter_settings plain = { .pid = FILTER_NO_ID,
					       .tid = FILTER_NO_ID,
					       .to_ns = UINT64_MAX };
	const struct step_lines *lines;
	struct session_file file;
	char message[256];

	frame_end_block(c.r.fw);
	cuda_recording_finish(&c, 20000 * MS);
	file = (struct session_file){ .path = path, .bytes = bytes_of(c.r.bytes, c.r.length) };
	assert_int_equal(source_open_files(&source, &file, 1, message, sizeof(message)), 0);
	run = run_new(source, &plain);
	lines = step_lines_want(run, NULL);
	run_read(run, false);
	return lines;
}

static void finish_steps(void)
{
	run_free(run);
	source_close(source);
	cuda_recording_release(&c);
}

static bool is_fifth(const void *state, uint32_t process, uint64_t step_number)
{
	(void)state;
	(void)process;
	return step_number % 5 == 4;
}

static void slow_steps_are(const struct step_lines *lines, const char *wanted)
{
	char text[STEP_LINE_BYTES];
	struct step_line line;
	double percent;

	assert_true(step_lines_of_steps(lines, is_fifth, NULL, &line, &percent));
	step_line_text(lines, &line, text);
	assert_string_equal(text, wanted);
	assert_true(percent > 80 && percent < 90); /* 24 of 28 */
}

/* The line that runs the training is the same in all steps: what it calls then is not. */
TEST(slow_steps_have_the_packages_function)
{
	start_steps();
	steps_with(4, 4);
	slow_steps_are(read_steps(),
		       "main.py:9 (<module>), mostly in framework/train.py:300 (evaluate)");
	finish_steps();
}

TEST(slow_steps_have_the_users_function_whose_lines_have_less)
{
	start_steps();
	steps_with(5, 6);
	slow_steps_are(read_steps(), "main.py:3 (metrics and what it calls)");
	finish_steps();
}

/* What the package does then is at two lines: at its caller's, and in a callback of the user's. */
TEST(slow_steps_have_the_packages_function_that_several_lines_are_in)
{
	start_steps();
	steps_with(4, 5);
	slow_steps_are(read_steps(),
		       "main.py:9 (<module>), mostly in framework/train.py:300 (evaluate)");
	finish_steps();
}

TEST(all_steps_alike_have_no_line_of_some)
{
	struct step_line line;
	double percent;

	start_steps();
	steps_with(3, 3);
	assert_false(step_lines_of_steps(read_steps(), is_fifth, NULL, &line, &percent));
	finish_steps();
}

/* The wrapper of torch.compile is around what it compiles, and around what it gives up. */
TEST(what_torch_compile_was_given)
{
	double percent;

	start_steps();
	steps_with(12, 12);
	percent = compile_wraps_percent(read_steps());
	assert_true(percent > 35 &&
		    percent < 65); /* 4 samples of a step, and 24 more in slow ones */
	finish_steps();
	start_steps();
	steps_with(4, 4);
	assert_true(compile_wraps_percent(read_steps()) == 0);
	finish_steps();
}

/* A step that does not end is what follows the last one. */
TEST(the_line_after_the_last_step)
{
	const struct step_lines *lines;
	char text[STEP_LINE_BYTES];
	struct step_line line;
	double percent;

	start_steps();
	steps_with(8, 8);
	samples_at(4, 40);
	samples_at(8, 60);
	lines = read_steps();
	assert_true(step_lines_after(lines, 0, &line, &percent));
	step_line_text(lines, &line, text);
	assert_string_equal(text, "main.py:15 (read), called from main.py:20");
	assert_true(percent > 58 && percent < 62);
	finish_steps();
	start_steps();
	steps_with(8, 8);
	samples_at(4, 8);
	assert_false(step_lines_after(read_steps(), 0, &line, &percent));
	finish_steps();
}

/*
 * Slow steps run read() from a line of their own, all others from train(): the line that is theirs
 * alone is named, and not read(), which has much of all steps.
 */
TEST(the_function_that_only_slow_steps_have)
{
	const struct step_lines *lines;
	char text[STEP_LINE_BYTES];
	struct step_line line;
	double percent;

	start_steps();
	step();
	for (unsigned int i = 1; i <= 20; i++) {
		samples_at(8, 2);
		samples_at(3, 4);
		samples_at(15, i % 5 ? 0 : 20);
		step();
	}
	lines = read_steps();
	assert_true(step_lines_of_steps(lines, is_fifth, NULL, &line, &percent));
	step_line_text(lines, &line, text);
	assert_string_equal(text, "main.py:31 (scores and what it calls)");
	finish_steps();
}

/* Imports in the first steps have a line of their own: packages load their parts on demand. */
TEST(the_line_of_the_first_steps)
{
	const struct step_lines *lines;
	char text[STEP_LINE_BYTES];
	struct step_line line;
	double percent;

	start_steps();
	samples_at(8, 30);
	step();
	samples_at(8, 80);
	samples_at(10, 20);
	steps_with(4, 4);
	lines = read_steps();
	assert_true(step_lines_warm(lines, 0, &line, &percent));
	step_line_text(lines, &line, text);
	assert_string_equal(text, "main.py:15 (read), called from main.py:20");
	assert_true(percent > 70 && percent < 80);
	assert_false(step_lines_warm_imports(lines, 0, &line, &percent));
	finish_steps();
	start_steps();
	samples_at(8, 30);
	step();
	samples_at(8, 20);
	samples_at(10, 80);
	steps_with(4, 4);
	lines = read_steps();
	assert_false(step_lines_warm(lines, 0, &line, &percent));
	assert_true(step_lines_warm_imports(lines, 0, &line, &percent));
	assert_int_equal(line.number, 1);
	assert_true(percent > 70 && percent < 80);
	finish_steps();
}

/* Who has the GIL is a package's line, which nobody would change: who waits for it may be. */
TEST(the_line_that_waits_for_the_gil)
{
	const struct step_lines *lines;
	struct step_line line;
	double percent;

	start_steps();
	step();
	for (unsigned int i = 0; i < 10; i++) {
		samples_at(3, 4);
		gil_samples_at(8, 13, 6);
		step();
	}
	lines = read_steps();
	assert_true(step_lines_find(lines, STEP_LINES(HOLDERS), &line, &percent));
	assert_false(line.is_users);
	assert_true(step_lines_find(lines, STEP_LINES(STARVED), &line, &percent));
	assert_true(line.is_users);
	assert_int_equal(line.number, 15);
	assert_true(percent > 99);
	finish_steps();
}

/* Imports are time before the first step, but no line to look at. */
TEST(the_line_before_the_first_step)
{
	const struct step_lines *lines;
	char text[STEP_LINE_BYTES];
	struct step_line line;
	double percent;

	start_steps();
	samples_at(10, 40);
	samples_at(8, 60);
	steps_with(4, 4);
	lines = read_steps();
	assert_true(step_lines_before(lines, 0, &line, &percent));
	step_line_text(lines, &line, text);
	assert_string_equal(text, "main.py:15 (read), called from main.py:20");
	assert_true(percent > 58 && percent < 62);
	finish_steps();
	start_steps();
	samples_at(10, 40);
	steps_with(4, 4);
	assert_false(step_lines_before(read_steps(), 0, &line, &percent));
	finish_steps();
}
