/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/samples/: shares of lines that are set by construction, waits, operators, recursion, lost
 * definitions, paths.
 */
#include "tests/unit/samples_recording.h"

static const struct line *line_at(uint32_t number)
{
	for (size_t i = 0; i < lines.count; i++)
		if (lines.line[i].number == number)
			return &lines.line[i];
	fail_msg("there is no line %u", number);
	return NULL;
}

/*
 * Three quarters of the CPU time in line 11; the CPU time of a wait is of the line that runs next.
 */
TEST(shares_are_those_of_the_program)
{
	start();
	define_all();
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
	for (uint64_t i = 1; i <= 400; i++)
		sample((1 + 10 * i) * MS, i % 4 ? 3 : 1, EVT_PYTHON_RUNS, 2000);
	sample(4011 * MS, 1, EVT_PYTHON_SLEEP, 1500); /* it ran, and sleeps now */
	sample(4021 * MS, 1, EVT_PYTHON_SLEEP, 0);
	sample(4031 * MS, 3, EVT_PYTHON_RUNS, 500);
	sample(4041 * MS, 3, EVT_PYTHON_READY, 0);
	frame_end_block(c.r.fw);
	read_as(plain);
	lines_make(&lines, samples, LINES_BY_LINE);
	assert_int_equal(line_at(11)->self.cpu_ns, 300 * 2 * MS + 2 * MS);
	assert_int_equal(line_at(2)->self.cpu_ns, 100 * 2 * MS);
	assert_int_equal(line_at(2)->self.wait_ns, 20 * MS);
	assert_int_equal(line_at(2)->self.state_ns[EVT_PYTHON_SLEEP], 20 * MS);
	assert_int_equal(line_at(3)->self.cpu_ns, 0);
	assert_int_equal(line_at(3)->total.cpu_ns, 302 * 2 * MS - 2 * MS);
	assert_int_equal(samples->all.looks, 404);
	finish();
}

/*
 * A look that was left out puts the CPU time up to it in doubt, once; one in a queue for a CPU puts
 * none.
 */
TEST(looks_left_out_are_a_bound)
{
	start();
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
	FRAME_PUT(c.r.fw, 31 * MS, python_sample, .place = 1, .cpu_us = 1000,
		  .state = EVT_PYTHON_READY, .looks = 1, .unclear = 1);
	sample(41 * MS, 1, EVT_PYTHON_READY, 1000);
	sample(51 * MS, 3, EVT_PYTHON_RUNS, 8000);
	frame_end_block(c.r.fw);
	read_as(plain);
	assert_true(sample_counts_doubt_percent(&samples->all) == 10);
	finish();
}

/*
 * Looks that were left out have no CPU time of their own: one of two whole looks is a half at most.
 */
TEST(late_looks_are_a_bound)
{
	start();
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
	FRAME_PUT(c.r.fw, 31 * MS, python_sample, .place = 1, .state = EVT_PYTHON_READY, .looks = 1,
		  .unclear = 1);
	sample(41 * MS, 1, EVT_PYTHON_READY, 0);
	sample(51 * MS, 3, EVT_PYTHON_RUNS, 8000);
	frame_end_block(c.r.fw);
	read_as(plain);
	assert_true(sample_counts_doubt_percent(&samples->all) == 50);
	finish();
}

/* C code that the line has called is native, without an operator. */
TEST(called_code_is_native)
{
	start();
	define_all();
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
	sample(11 * MS, 1, EVT_PYTHON_RUNS, 3000);
	FRAME_PUT(c.r.fw, 21 * MS, python_sample, .place = 1, .cpu_us = 5, .looks = 1, .calls = 1);
	frame_end_block(c.r.fw);
	read_as(plain);
	lines_make(&lines, samples, LINES_BY_LINE);
	assert_int_equal(line_at(2)->self.cpu_ns - line_at(2)->self.native_ns, 3 * MS);
	finish();
}

/* Of a function that calls itself each sample counts once. */
TEST(recursion_counts_once)
{
	start();
	define_all();
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
	sample(11 * MS, 4, EVT_PYTHON_RUNS, 3000);
	frame_end_block(c.r.fw);
	read_as(plain);
	lines_make(&lines, samples, LINES_BY_FUNCTION);
	assert_int_equal(lines.count, 2);
	assert_int_equal(line_at(10)->total.cpu_ns, 3 * MS);
	assert_int_equal(line_at(1)->total.cpu_ns, 3 * MS);
	assert_int_equal(line_at(1)->self.cpu_ns, 0);
	finish();
}

/*
 * A comprehension or a lambda is called from the line that it stands on: without functions it is
 * there once.
 */
TEST(a_line_of_two_functions_counts_once)
{
	start();
	define_all();
	frame_begin_block(c.r.fw, 0);
	define_code(3, "<listcomp>", 2);
	define_place(5, 1, 3, 2);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
	sample(11 * MS, 5, EVT_PYTHON_RUNS, 3000);
	sample(21 * MS, 1, EVT_PYTHON_RUNS, 1000);
	frame_end_block(c.r.fw);
	read_as(plain);
	lines_make(&lines, samples, LINES_BY_LINE);
	assert_int_equal(lines.count, 2);
	lines_release(&lines);
	lines_make(&lines, samples, LINES_BY_NUMBER);
	assert_int_equal(lines.count, 1);
	assert_int_equal(line_at(2)->self.cpu_ns, 4 * MS);
	assert_int_equal(line_at(2)->total.cpu_ns, 4 * MS);
	finish();
}

/* An operator makes it native, a scope of the user does not. */
TEST(native_is_an_operator)
{
	start();
	define_all();
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
	FRAME_PUT(c.r.fw, 2 * MS, torch_begin_ex, .name = cuda_recording_name(&c, "mine"),
		  .scope = EVT_SCOPE_USER);
	sample(3 * MS, 3, EVT_PYTHON_RUNS, 1000);
	FRAME_PUT(c.r.fw, 4 * MS, torch_begin_ex, .name = cuda_recording_name(&c, "aten::mm"));
	sample(5 * MS, 3, EVT_PYTHON_RUNS, 4000);
	FRAME_PUT(c.r.fw, 6 * MS, torch_begin_ex, .name = cuda_recording_name(&c, "inner"),
		  .scope = EVT_SCOPE_USER);
	sample(7 * MS, 3, EVT_PYTHON_RUNS, 500);
	frame_end_block(c.r.fw);
	read_as(plain);
	lines_make(&lines, samples, LINES_BY_LINE);
	assert_int_equal(line_at(11)->self.cpu_ns, 5500000);
	assert_int_equal(line_at(11)->self.native_ns, 4500000);
	finish();
}

static void call(uint64_t end_ns, uint64_t duration_ns, uint64_t flags)
{
	FRAME_PUT(c.r.fw, end_ns, cuda_call, .function = cuda_recording_name(&c, "cudaX"),
		  .duration_ns = duration_ns, .flags = flags);
}

/* A call is known at its end: what was seen meanwhile is its time, once, and none of Python's. */
TEST(calls_of_cuda_are_known_at_their_end)
{
	start();
	define_all();
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
	sample(11 * MS, 3, EVT_PYTHON_RUNS, 1000); /* before the call, in its line */
	sample(21 * MS, 3, EVT_PYTHON_RUNS, 2000);
	sample(31 * MS, 3, EVT_PYTHON_LOCK, 0);
	call(35 * MS, 10 * MS, EVT_CUDA_NESTED);
	sample(41 * MS, 3, EVT_PYTHON_RUNS, 4000);
	call(45 * MS, 30 * MS, 0);
	sample(51 * MS, 3, EVT_PYTHON_RUNS, 500); /* behind it */
	call(52 * MS, MS / 2, 0);
	FRAME_PUT(c.r.fw, 53 * MS, torch_begin_ex, .name = cuda_recording_name(&c, "aten::mm"));
	sample(61 * MS, 1, EVT_PYTHON_RUNS, 8000);
	FRAME_PUT(c.r.fw, 62 * MS, gpu_call, .function = cuda_recording_name(&c, "cudaY"),
		  .duration_ns = 5 * MS);
	frame_end_block(c.r.fw);
	read_as(plain);
	lines_make(&lines, samples, LINES_BY_LINE);
	assert_int_equal(line_at(11)->self.cpu_ns, 7500000);
	assert_int_equal(line_at(11)->self.cuda_ns, 16 * MS);
	assert_int_equal(line_at(11)->self.native_ns, 6 * MS);
	assert_int_equal(line_at(2)->self.cuda_ns, 8 * MS);
	assert_int_equal(line_at(2)->self.native_ns, 8 * MS);
	assert_int_equal(samples->all.cuda_ns, 24 * MS);
	assert_int_equal(line_at(3)->total.cuda_ns, 16 * MS);
	finish();
}

TEST(filters_hold)
{
	struct filter_settings later = plain;

	start();
	define_all();
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
	sample(11 * MS, 3, EVT_PYTHON_RUNS, 1000);
	sample(21 * MS, 1, EVT_PYTHON_RUNS, 2000);
	frame_end_block(c.r.fw);
	later.from_ns = 15 * MS;
	read_as(later);
	lines_make(&lines, samples, LINES_BY_LINE);
	assert_int_equal(samples->all.cpu_ns, 2 * MS);
	assert_int_equal(lines.count, 1);
	finish();
}

static uint64_t torn_of_process(uint32_t number)
{
	struct source_process *const *process;
	size_t count = source_processes(source, &process);

	for (size_t i = 0; i < count; i++)
		if (process[i]->number == number)
			return process[i]->samples_torn;
	return UINT64_MAX;
}

/*
 * Places that nobody defines, that name themselves, states that nobody knows: a row, and no harm.
 */
TEST(lost_definitions_are_rows)
{
	start();
	frame_begin_block(c.r.fw, 0);
	define_place(5, 5, 9, 4);
	define_place(6, 7, 9, 4);
	define_place(7, 6, 9, 4);
	FRAME_PUT(c.r.fw, 2, python_sampling, .process = 77, .off = 99, .torn = 5);
	FRAME_PUT(c.r.fw, 2, python_sampling, .process = 1, .off = 3, .torn = 5);
	FRAME_PUT(c.r.fw, 3, python_sampling, .process = 1, .off = 3, .torn = 6, .partial = 7);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
	sample(11 * MS, 5, EVT_PYTHON_RUNS, 1000);
	sample(21 * MS, 6, 4711, 1000);
	sample(31 * MS, UINT64_MAX, EVT_PYTHON_RUNS, 1000);
	frame_end_block(c.r.fw);
	read_as(plain);
	lines_make(&lines, samples, LINES_BY_LINE);
	assert_int_equal(samples->all.cpu_ns, 3 * MS);
	assert_int_equal(samples->all.wait_ns, 10 * MS);
	assert_int_equal(lines.count, 1);
	assert_int_equal(lines.line[0].file, SAMPLE_NONE);
	assert_int_equal(samples->torn, 11);
	assert_int_equal(samples->partial, 7);
	assert_int_equal(torn_of_process(1), 6);
	assert_int_equal(torn_of_process(77), 5);
	assert_int_equal(samples->off[EVT_PYTHON_OFF_REFUSED], 1);
	finish();
}

#define MATCH(one, other) paths_match(one, strlen(one), other, strlen(other))

TEST(paths_match_by_their_ends)
{
	assert_true(MATCH("/a/b/train.py", "train.py"));
	assert_true(MATCH("train.py", "/a/b/train.py"));
	assert_true(MATCH("./b/train.py", "/a/b/train.py"));
	assert_true(MATCH("/a/b/train.py", "/a/b/train.py"));
	assert_false(MATCH("/a/b/train.py", "rain.py"));
	assert_false(MATCH("/a/b/train.py", "c/train.py"));
	assert_false(MATCH("/a/b/train.py", ""));
}

/*
 * CPU time of a stack that could not be read is no line's, neither of the one before nor of the one
 * behind.
 */
TEST(torn_stacks_are_a_row)
{
	start();
	define_all();
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
	sample(11 * MS, 3, EVT_PYTHON_RUNS, 1000);
	sample(21 * MS, 0, EVT_PYTHON_TORN, 5000);
	sample(31 * MS, 0, EVT_PYTHON_RUNS, 700); /* no Python function: another row */
	sample(41 * MS, 3, EVT_PYTHON_RUNS, 2000);
	frame_end_block(c.r.fw);
	read_as(plain);
	lines_make(&lines, samples, LINES_BY_LINE);
	assert_int_equal(line_at(11)->self.cpu_ns, 3 * MS);
	assert_int_equal(samples->all.cpu_ns, 8700000);
	for (size_t i = 0; i < lines.count; i++)
		if (lines.line[i].file == SAMPLE_NONE)
			assert_int_equal(lines.line[i].self.cpu_ns,
					 lines.line[i].is_torn ? 5000000 : 700000);
	assert_int_equal(lines.count, 4); /* with the caller of line 11 */
	finish();
}

/* --- as stacks --- */

static struct stack_rows rows;
static uint64_t put_ns;

static void take_use(void *context, const struct stack_use *use)
{
	uint64_t *weight = context;
	size_t place = stack_rows_place(&rows, use);

	assert_true(place < 8);
	weight[place] += use->weight;
	put_ns += use->weight;
}

/* The weight of the stack with that text, of all that samples have of `value`. */
static uint64_t stack_weight(enum stack_value value, const char *text)
{
	uint64_t weight[8] = { 0 }, found = 0;

	put_ns = 0;
	stack_rows_init(&rows, source, NULL, STACK_BY_STACK, STACK_COLUMNS_NONE);
	stack_source_samples.put_named(samples, &rows.names, value, take_use, weight);
	for (size_t i = 0; i < rows.place_count; i++)
		if (!strcmp(named_stack_text(&rows.names, rows.place[i].stack, &rows.names.texts),
			    text))
			found += weight[i];
	stack_rows_release(&rows);
	return found;
}

TEST(samples_are_stacks)
{
	start();
	define_all();
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
	sample(11 * MS, 3, EVT_PYTHON_RUNS, 1000);
	sample(21 * MS, 4, EVT_PYTHON_RUNS, 2000); /* work calls itself */
	sample(31 * MS, 1, EVT_PYTHON_SLEEP, 0);
	sample(51 * MS, 3, EVT_PYTHON_GIL, 0);
	sample(61 * MS, 0, EVT_PYTHON_TORN, 500);
	sample(71 * MS, 0, EVT_PYTHON_RUNS, 700);
	sample(81 * MS, UINT32_MAX, EVT_PYTHON_RUNS, 900); /* its definition was lost */
	frame_end_block(c.r.fw);
	read_as(plain);
	assert_int_equal(stack_weight(STACK_TIME, "main;work"), MS);
	assert_int_equal(put_ns, samples->all.cpu_ns);
	assert_int_equal(stack_weight(STACK_TIME, "main;work;work"), 2 * MS);
	assert_int_equal(stack_weight(STACK_TIME, SAMPLE_TORN), 500000);
	assert_int_equal(stack_weight(STACK_TIME, SAMPLE_NOT_PYTHON), 700000);
	assert_int_equal(stack_weight(STACK_TIME, "(unknown)"), 900000);
	assert_int_equal(stack_weight(STACK_TIME, "main"), 0);
	assert_int_equal(stack_weight(STACK_WAIT, "main"), 10 * MS);
	assert_int_equal(put_ns, samples->all.wait_ns);
	assert_int_equal(stack_weight(STACK_GIL, "main;work"), 20 * MS);
	assert_int_equal(put_ns, 20 * MS);
	assert_int_equal(stack_weight(STACK_CALLS, "main;work"), 2);
	finish();
}

/* Places in a circle, as of a file that lies: each is a stack, and it ends. */
TEST(circles_end)
{
	start();
	frame_begin_block(c.r.fw, 0);
	define_code(1, "main", 1);
	define_place(2, 3, 1, 4);
	define_place(3, 2, 1, 5);
	for (uint64_t id = 10; id < 2000; id++)
		define_place(id, id - 1, 1, 6);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
	sample(11 * MS, 3, EVT_PYTHON_RUNS, 1000);
	sample(21 * MS, 1999, EVT_PYTHON_RUNS, 1000);
	frame_end_block(c.r.fw);
	read_as(plain);
	assert_int_equal(stack_weight(STACK_TIME, "main;main"), MS);
	assert_int_equal(put_ns, 2 * MS);
	finish();
}

/* --- the GIL --- */

static void sample_holder(uint64_t time_ns, uint64_t place, uint64_t state, uint64_t holder,
			  uint64_t holder_place)
{
	FRAME_PUT(c.r.fw, time_ns, python_sample, .place = place, .state = state, .looks = 1,
		  .holder = holder, .holder_place = holder_place);
}

static void put_thread(uint64_t time_ns, uint64_t stream, uint64_t tid)
{
	recording_close_frame(&c.r,
			      time_ns - 1); /* a frame's own threads are known from its start */
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, time_ns, thread, .stream = stream, .process = 1, .tid = tid);
	frame_end_block(c.r.fw);
}

static void wait_for(uint64_t time_ns, uint64_t holder)
{
	frame_begin_block(c.r.fw, 1);
	sample_holder(time_ns, 1, EVT_PYTHON_GIL, holder, 0);
	frame_end_block(c.r.fw);
}

static uint64_t blocked_by(size_t number)
{
	struct source_thread *const *thread;

	assert_true(source_threads(source, &thread) > number);
	for (size_t i = 0; i < gil->row_count; i++)
		if (gil->row[i].thread == thread[number])
			return gil->row[i].counts.blocked_ns;
	return 0;
}

/* Both are seen with it at one look: what it stands for was held once. */
TEST(a_moment_is_held_by_one_thread)
{
	uint64_t first;

	start();
	define_all();
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, 3 * MS, python_sample, .looks = 0);
	sample_holder(13 * MS, 1, EVT_PYTHON_RUNS, 100, 0);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 2);
	FRAME_PUT(c.r.fw, 4 * MS, python_sample, .looks = 0);
	sample_holder(14 * MS, 1, EVT_PYTHON_RUNS, 200, 0);
	frame_end_block(c.r.fw);
	read_as(plain);
	first = gil->row[0].counts.held_ns;
	assert_int_equal(first, 10 * MS);
	assert_int_equal(gil->all.held_ns, 11 * MS);
	assert_int_equal(gil->all.looks, 2);
	finish();
}

/* The kernel uses a thread's number again: it is whoever has it at the time. */
TEST(a_holder_is_who_has_the_number_then)
{
	start();
	define_all();
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
	frame_end_block(c.r.fw);
	wait_for(11 * MS, 500); /* of whom nothing is known yet */
	put_thread(12 * MS, 8, 500);
	wait_for(21 * MS, 500);
	wait_for(24 * MS, 500);
	put_thread(25 * MS, 9, 600);
	put_thread(25 * MS, 10, 500);
	wait_for(31 * MS, 500);
	wait_for(36 * MS, 600);
	wait_for(38 * MS, 500);
	read_as(plain);
	assert_int_equal(gil->unknown_ns, 10 * MS);
	assert_int_equal(blocked_by(2), 13 * MS);
	assert_int_equal(blocked_by(3), 5 * MS);
	assert_int_equal(blocked_by(4), 9 * MS);
	finish();
}

/*
 * Whose tid it is that has it, of which nobody else is known here: the thread itself, or somebody.
 */
TEST(waits_belong_to_who_had_the_gil)
{
	uint64_t tid = 0;
	struct source_thread *const *thread;

	for (unsigned int round = 0; round < 2; round++) { /* the first tells its tid */
		start();
		define_all();
		frame_begin_block(c.r.fw, 1);
		FRAME_PUT(c.r.fw, MS, python_sample, .looks = 0);
		sample_holder(11 * MS, 3, EVT_PYTHON_RUNS, tid, 0);
		sample_holder(31 * MS, 3, EVT_PYTHON_RUNS, 0, 0); /* without it: C code */
		sample_holder(41 * MS, 1, EVT_PYTHON_GIL, tid, 3);
		sample_holder(46 * MS, 1, EVT_PYTHON_GIL, tid, 0);
		sample_holder(66 * MS, 1, EVT_PYTHON_GIL, 0, 0);
		sample_holder(68 * MS, 1, EVT_PYTHON_GIL, 4711, 3); /* nobody's tid */
		frame_end_block(c.r.fw);
		read_as(plain);
		assert_true(source_threads(source, &thread) > 0);
		if (!tid) {
			tid = thread[0]->tid;
			finish();
		}
	}
	assert_int_equal(gil->all.held_ns, 10 * MS);
	assert_int_equal(gil->all.looks, 1);
	assert_int_equal(gil->all.wait_ns, 37 * MS);
	assert_int_equal(gil->all.blocked_ns, 15 * MS);
	assert_int_equal(gil->unknown_ns, 22 * MS);
	lines_make_gil(&lines, gil, LINES_BY_LINE, NULL);
	assert_int_equal(line_at(11)->gil.held_ns, 10 * MS);
	assert_int_equal(line_at(11)->gil.blocked_ns, 10 * MS);
	assert_int_equal(line_at(2)->gil.wait_ns, 37 * MS);
	for (size_t i = 0; i < lines.count; i++)
		if (lines.line[i].is_torn)
			assert_int_equal(lines.line[i].gil.blocked_ns, 5 * MS);
	assert_int_equal(lines.count, 3);
	finish();
}
