/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/samples/: lines of the user's own code, what is behind and around them, imports, and what
 * is outside of the steps.
 */
#include "report/samples/lines.h"
#include "tests/unit/run_fixture.h"

#define MS 1000000ull
#define LIBRARY "/v/lib/python3.11/site-packages/numpy/numeric.py"

static struct samples *samples;
static struct own own;
static struct lines lines;

static void define_code(uint64_t id, const char *function, const char *file)
{
	FRAME_PUT(c.r.fw, 1, python_code, .id = id, .function = cuda_recording_name(&c, function),
		  .file = cuda_recording_name(&c, file), .line = 1);
}

static void define_place(uint64_t id, uint64_t from, uint64_t code, uint64_t line)
{
	FRAME_PUT(c.r.fw, 1, python_place, .id = id, .from = from, .code = code, .line = line);
}

/*
 * train.py:20 calls load() at 5, from a list comprehension; that calls numpy. And imports, and a
 * thread of a library alone.
 */
static void define_all(void)
{
	cuda_recording_start(&c, 1);
	frame_begin_block(c.r.fw, 0);
	define_code(1, "<module>", "/home/me/train.py");
	define_code(2, "load", "/home/me/train.py");
	define_code(3, "<listcomp>", "/home/me/train.py");
	define_code(4, "ones", LIBRARY);
	define_code(5, "_find_and_load", "<frozen importlib._bootstrap>");
	define_code(6, "wait", "/usr/lib/python3.11/threading.py");
	define_code(7, "<module>", "/home/me/model.py");
	define_place(1, 0, 1, 20);
	define_place(2, 1, 2, 5);
	define_place(3, 2, 3, 5);
	define_place(4, 3, 4, 232);
	define_place(5, 0, 1, 1);
	define_place(6, 5, 5, 1176);
	define_place(7, 6, 4, 10);
	define_place(8, 0, 6, 331);
	define_place(9, 6, 7, 3);
	define_code(8, "_launch", "/usr/lib/python3.11/multiprocessing/popen_fork.py");
	define_code(9, "_bootstrap", "/usr/lib/python3.11/multiprocessing/process.py");
	define_code(10, "get", "/usr/lib/python3.11/multiprocessing/queues.py");
	define_place(10, 1, 8, 71);
	define_place(11, 10, 9, 314);
	define_place(12, 11, 10, 367);
	define_place(13, 11, 2, 6);
	frame_end_block(c.r.fw);
}

static void sample(uint64_t time_ns, uint64_t place, uint64_t cpu_us)
{
	FRAME_PUT(c.r.fw, time_ns, python_sample, .place = place, .state = EVT_PYTHON_RUNS,
		  .cpu_us = cpu_us, .looks = 1);
}

static void read_all(void)
{
	cuda_recording_finish(&c, 10000 * MS);
	source = recording_source(&c.r);
	run = run_new(source, &recording_whole);
	samples = samples_want(run, &(struct samples_options){ .by = BY_lines_line });
	run_read(run, false);
	own_init(&own, source, NULL);
	lines_make_own(&lines, samples, LINES_BY_LINE, &own, true);
}

static void finish(void)
{
	lines_release(&lines);
	own_release(&own);
	recording_close();
}

static size_t line_at(uint32_t number)
{
	for (size_t i = 0; i < lines.count; i++)
		if (lines.line[i].number == number)
			return i;
	fail_msg("there is no line %u", number);
	return 0;
}

static uint64_t cpu_of_special(bool is_import)
{
	for (size_t i = 0; i < lines.count; i++)
		if (is_import ? lines.line[i].is_import : lines.line[i].is_outside)
			return lines.line[i].self.cpu_ns;
	return 0;
}

static uint64_t cpu_of_all(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < lines.count; i++)
		sum += lines.line[i].self.cpu_ns;
	return sum;
}

TEST(a_library_is_its_callers)
{
	const struct line_link *link;
	size_t line;

	define_all();
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
	sample(11 * MS, 4, 6000);
	sample(21 * MS, 2, 1000);
	sample(31 * MS, 7, 4000);
	sample(41 * MS, 8, 2000);
	sample(51 * MS, 9, 500);
	frame_end_block(c.r.fw);
	read_all();
	line = line_at(5); /* of the comprehension: it was entered first */
	assert_int_equal(lines.line[line].self.cpu_ns, 6 * MS);
	link = line_links_most(&lines.links, line, LINE_LINK_LIBRARY);
	assert_non_null(link);
	assert_int_equal(link->number, 232);
	link = line_links_most(&lines.links, line, LINE_LINK_CALLER);
	assert_non_null(link);
	assert_int_equal(link->number, 20);
	assert_int_equal(lines.line[line_at(20)].total.cpu_ns, 7 * MS);
	assert_int_equal(lines.line[line_at(331)].self.cpu_ns, 2 * MS); /* nobody's: its own */
	assert_int_equal(lines.line[line_at(3)].self.cpu_ns, MS / 2);   /* the user's module */
	assert_int_equal(cpu_of_special(true), 4 * MS);
	assert_int_equal(cpu_of_special(false), 0);
	assert_int_equal(cpu_of_all(), samples->all.cpu_ns);
	finish();
}

/*
 * From the first mark to the last; what comes after is known to be outside only when all is read.
 */
TEST(lines_are_of_the_steps)
{
	define_all();
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
	sample(11 * MS, 2, 1000);
	FRAME_PUT(c.r.fw, 12 * MS, step, .number = 0);
	sample(21 * MS, 2, 2000);
	FRAME_PUT(c.r.fw, 22 * MS, step, .number = 1);
	sample(31 * MS, 4, 4000);
	FRAME_PUT(c.r.fw, 32 * MS, step, .number = 2);
	sample(41 * MS, 2, 8000);
	frame_end_block(c.r.fw);
	read_all();
	assert_int_equal(samples->steps.cpu_ns, 6 * MS);
	assert_int_equal(cpu_of_special(false), 9 * MS);
	assert_int_equal(cpu_of_all(), samples->all.cpu_ns);
	assert_int_equal(lines.line[line_at(20)].total.cpu_ns, 6 * MS);
	finish();
}

TEST(one_mark_is_no_step)
{
	define_all();
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
	FRAME_PUT(c.r.fw, 2 * MS, step, .number = 0);
	sample(11 * MS, 2, 1000);
	frame_end_block(c.r.fw);
	read_all();
	assert_int_equal(cpu_of_special(false), 0);
	assert_int_equal(lines.line[line_at(5)].self.cpu_ns, MS);
	finish();
}

static void ask(uint64_t time_ns, uint64_t number)
{
	FRAME_PUT(c.r.fw, time_ns, request_begin, .connection = 1, .number = number);
	FRAME_PUT(c.r.fw, time_ns + MS, request_end, .connection = 1, .number = number);
}

/* One sample before the first request, one among them, one after the last. */
static void serve(unsigned int requests)
{
	define_all();
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
	sample(11 * MS, 2, 1000);
	for (unsigned int i = 0; i + 1 < requests; i++)
		ask((12 + 2 * i) * MS, i);
	sample(100 * MS, 2, 2000);
	ask(101 * MS, requests - 1);
	sample(141 * MS, 2, 8000);
}

TEST(lines_are_of_the_time_a_server_served)
{
	serve(SAMPLE_REQUESTS_MIN);
	frame_end_block(c.r.fw);
	read_all();
	assert_false(samples->has_steps);
	assert_int_equal(samples->steps.cpu_ns, 2 * MS);
	assert_int_equal(cpu_of_special(false), 0);
	assert_int_equal(cpu_of_all(), 2 * MS);
	assert_int_equal(samples->all.cpu_ns, 11 * MS);
	finish();
}

TEST(few_requests_make_no_server)
{
	serve(SAMPLE_REQUESTS_MIN - 1);
	frame_end_block(c.r.fw);
	read_all();
	assert_false(samples_have_steps(samples));
	assert_int_equal(cpu_of_all(), 11 * MS);
	finish();
}

/* As of a training that answers questions for its metrics. */
TEST(steps_count_more_than_requests)
{
	serve(SAMPLE_REQUESTS_MIN);
	FRAME_PUT(c.r.fw, 142 * MS, step, .number = 0);
	sample(151 * MS, 4, 4000);
	ask(152 * MS, SAMPLE_REQUESTS_MIN);
	FRAME_PUT(c.r.fw, 162 * MS, step, .number = 1);
	ask(163 * MS, SAMPLE_REQUESTS_MIN + 1);
	sample(171 * MS, 2, 100);
	ask(172 * MS, SAMPLE_REQUESTS_MIN + 2);
	frame_end_block(c.r.fw);
	read_all();
	assert_true(samples_have_steps(samples));
	assert_int_equal(samples->steps.cpu_ns, 4 * MS);
	assert_int_equal(cpu_of_special(false), 11 * MS + 100000);
	finish();
}

/* The frames around what multiprocessing runs in a forked child are the parent's. */
TEST(a_forked_child_begins_anew)
{
	define_all();
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
	sample(11 * MS, 12, 6000);
	sample(21 * MS, 13, 1000);
	sample(31 * MS, 10, 2000);
	frame_end_block(c.r.fw);
	read_all();
	assert_int_equal(lines.line[line_at(367)].self.cpu_ns, 6 * MS); /* of no user's line */
	assert_int_equal(lines.line[line_at(6)].self.cpu_ns, MS);
	assert_null(line_links_most(&lines.links, line_at(6), LINE_LINK_CALLER));
	assert_int_equal(lines.line[line_at(20)].self.cpu_ns, 2 * MS); /* before the fork */
	assert_int_equal(lines.line[line_at(20)].total.cpu_ns, 2 * MS);
	assert_int_equal(cpu_of_all(), samples->all.cpu_ns);
	finish();
}
