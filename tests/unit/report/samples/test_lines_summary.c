/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/samples/: what the summary says of lines and waits, and what it does not. */
#include "tests/unit/samples_recording.h"

static char *summary_text(uint64_t wall_ns, size_t threads)
{
	struct steps steps = { .time.count = 0 };
	const struct summary summary = {
		.source = source,
		.run = run,
		.samples = samples,
		.steps = &steps,
		.totals = { .processes = 1, .threads = threads, .wall_ns = wall_ns }
	};
	struct screen screen = { .width = 300 };
	char *text = NULL;
	size_t length;

	screen.out = open_memstream(&text, &length);
	summary_print_ready(&summary, &screen);
	(void)summary_print_lines(&summary, &screen);
	(void)summary_print_waits(&summary, &screen);
	fclose(screen.out);
	return text;
}

static void expect_summary(uint64_t wall_ns, size_t threads, const char *expected)
{
	char *text = summary_text(wall_ns, threads);

	assert_string_equal(text, expected);
	free(text);
}

/* `works` looks in work(), which main() called, and so many in main() itself; then it sleeps. */
static void put_short_run(unsigned int works, unsigned int mains, uint64_t sleep_ms)
{
	uint64_t now = MS;

	start();
	define_all();
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, now, python_sample, .looks = 0);
	for (unsigned int i = 0; i < works + mains; i++)
		sample(now += 20 * MS, i < works ? 3 : 1, EVT_PYTHON_RUNS, 20000);
	if (sleep_ms)
		sample(now + sleep_ms * MS, 1, EVT_PYTHON_SLEEP, 0);
	frame_end_block(c.r.fw);
	read_as(plain);
}

/*
 * 100 looks are needed for shares of lines; fewer bear out where most was, and not how much of it.
 */
TEST(few_looks_say_where_most_was)
{
	put_short_run(9, 4, 0);
	expect_summary(1000 * MS, 1,
		       "A guess from only 13 samples: 180 ms of 260 ms of CPU time was spent in "
		       "made.py:10 (work) "
		       "and what it "
		       "called (prof-report lines; INTERCEPT_SAMPLE=1000 takes more samples).\n");
	finish();
	put_short_run(6, 7, 0);
	expect_summary(1000 * MS, 1,
		       "A guess from only 13 samples: 260 ms of 260 ms of CPU time was spent in "
		       "made.py:1 (main) "
		       "and what it "
		       "called (prof-report lines; INTERCEPT_SAMPLE=1000 takes more samples).\n");
	finish();
	put_short_run(4, 0, 0);
	expect_summary(1000 * MS, 1, "");
	finish();
}

/* The run so far was sampled so often, or not at all for a reason. */
static void put_sampling(uint64_t hz, enum evt_python_off off, unsigned int looks)
{
	uint64_t now = MS;

	start();
	define_all();
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 2, python_sampling, .process = 1, .hz = hz, .off = off);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, now, python_sample, .looks = 0);
	for (unsigned int i = 0; i < looks; i++)
		sample(now += MS, 3, EVT_PYTHON_RUNS, 1000);
	frame_end_block(c.r.fw);
	read_as(plain);
}

/* A higher rate is advised where there is one, and where it would be of use. */
TEST(more_samples_are_advised_where_there_are_more)
{
	put_sampling(999, EVT_PYTHON_ON, 20);
	assert_true(samples_can_be_more(samples));
	expect_summary(
		1000 * MS, 1,
		"By 20 samples: 20.0 ms of 20.0 ms of CPU time was spent in made.py:10 (work) "
		"and what it called (prof-report lines; INTERCEPT_SAMPLE=1000 takes more "
		"samples).\n");
	finish();
	put_sampling(1000, EVT_PYTHON_ON, 20);
	expect_summary(
		1000 * MS, 1,
		"By 20 samples: 20.0 ms of 20.0 ms of CPU time was spent in made.py:10 (work) "
		"and what it called (prof-report lines).\n");
	finish();
	put_sampling(50, EVT_PYTHON_OFF_VERSION, 0);
	assert_int_equal(samples->hz, 0);
	expect_summary(1000 * MS, 1,
		       "No Python stack was sampled: this version does not know the program's "
		       "CPython, only 3.8 to 3.14.\n");
	finish();
}

/* Of a process that was sampled, and one that was not, nobody says that none was. */
TEST(one_that_was_not_sampled_is_not_all)
{
	start();
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 2, python_sampling, .process = 1, .hz = 50);
	FRAME_PUT(c.r.fw, 2, python_sampling, .process = 2, .hz = 50,
		  .off = EVT_PYTHON_OFF_REFUSED);
	frame_end_block(c.r.fw);
	read_as(plain);
	assert_int_equal(samples->on, 1);
	assert_null(samples_why_none(samples));
	finish();
	start();
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 2, python_sampling, .process = 1, .hz = 50);
	FRAME_PUT(c.r.fw, 3, python_sampling, .process = 1, .hz = 50,
		  .off = EVT_PYTHON_OFF_REFUSED);
	frame_end_block(c.r.fw);
	read_as(plain);
	assert_int_equal(samples->on, 0);
	assert_non_null(samples_why_none(samples));
	finish();
}

/* A process whose memory cannot be read any more, as when it is killed, was sampled until then. */
TEST(what_was_sampled_lacks_only_its_end)
{
	start();
	define_all();
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 2, python_sampling, .process = 1, .hz = 50);
	FRAME_PUT(c.r.fw, 9 * MS, python_sampling, .process = 1, .hz = 50,
		  .off = EVT_PYTHON_OFF_REFUSED);
	FRAME_PUT(c.r.fw, 9 * MS, python_sampling, .process = 2, .hz = 50,
		  .off = EVT_PYTHON_OFF_REFUSED);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
	sample(2 * MS, 3, EVT_PYTHON_RUNS, 1000);
	frame_end_block(c.r.fw);
	read_as(plain);
	assert_int_equal(samples->unsampled[EVT_PYTHON_OFF_REFUSED], 1); /* the second one */
	assert_null(samples_why_none(samples));
	finish();
}

TEST(a_thread_that_waits_says_where)
{
	put_short_run(2, 0, 900);
	expect_summary(1000 * MS, 1,
		       "It waited 900 ms in made.py:2 (main) (prof-report lines --sort "
		       "wait_ns).\n");
	/* the others are libraries': what it waits for is theirs to do */
	expect_summary(1000 * MS, 2,
		       "Its one thread of Python waited 900 ms in made.py:2 (main) "
		       "(prof-report lines --sort wait_ns).\n");
	expect_summary(2000 * MS, 1, "");
	finish();
}

/* Of several each waits for another thing. */
TEST(threads_that_wait_say_nothing)
{
	start();
	define_all();
	for (uint32_t stream = 1; stream <= 2; stream++) {
		frame_begin_block(c.r.fw, stream);
		FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
		sample(900 * MS, 1, EVT_PYTHON_SLEEP, 0);
		frame_end_block(c.r.fw);
	}
	read_as(plain);
	expect_summary(1000 * MS, 2, "");
	finish();
}

/*
 * The first thread runs for `cpu_ms` of three seconds and could have run for `ready_ms`; the other
 * sleeps.
 */
static void expect_ready(uint64_t cpu_ms, uint64_t ready_ms, const char *expected)
{
	start();
	define_all();
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, MS, thread, .stream = 3, .process = 1, .tid = 300, .cpu_ns = MS);
	FRAME_PUT(c.r.fw, MS, thread, .stream = 4, .process = 1, .tid = 400, .cpu_ns = MS);
	for (uint64_t part = 0; part <= 3; part++) {
		FRAME_PUT(c.r.fw, MS + part * 1000 * MS, thread_sched, .stream = 3,
			  .cpu_ns = MS + part * cpu_ms * MS / 3,
			  .runnable_ns = part * ready_ms * MS / 3);
		FRAME_PUT(c.r.fw, MS + part * 1000 * MS, thread_sched, .stream = 4, .cpu_ns = MS,
			  .runnable_ns = MS);
	}
	FRAME_PUT(c.r.fw, 3001 * MS, thread_end, .stream = 3, .cpu_ns = MS + cpu_ms * MS);
	frame_end_block(c.r.fw);
	read_as(plain);
	expect_summary(3001 * MS, 2, expected);
	finish();
}

TEST(a_thread_without_a_cpu_is_told)
{
	expect_ready(
		600, 1500,
		"The busiest thread had no CPU for 1.50 s of its 3.00 s although it could have "
		"run: others used the CPUs, or a CPU limit applies (prof-report threads).\n");
	expect_ready(2100, 900, ""); /* not long */
}
