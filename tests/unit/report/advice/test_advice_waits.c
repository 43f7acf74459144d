/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/advice/advice_waits.c and what it rests on: a training, or a program without steps, is
 * written with samples of its threads, and what advice says of the waits looked at: with enough
 * samples, with few, and where nothing is to be said.
 */
#include "tests/unit/unit.h"
#include "report/advice/cause.h"
#include "tests/unit/waits_recording.h"

static unsigned int first_look_at; /* the step that the first of what is seen is in; 0: all */

/* Where the steps of the run begin, and looks at each of them; the first ones are warm-up. */
static void write_looks(const struct run *run, const struct seen *seen, size_t count)
{
	for (size_t i = 0, next = 0; i < count; i = next) {
		frame_begin_block(c.r.fw, seen[i].stream);
		for (unsigned int step = 0; step < run->steps; step++)
			for (next = i; next < count && seen[next].stream == seen[i].stream; next++)
				if (next || !first_look_at || first_look_at == step)
					look_put(&seen[next],
						 run->start_ns + (step ? run->first_ns : 0) +
							 (step ? step - 1 : 0) * run->step_ns);
		frame_end_block(c.r.fw);
	}
}

static void write_waits(const struct run *run, const struct seen *seen, size_t count)
{
	start(1);
	define_places();
	define_threads();
	write_run(1, run);
	write_looks(run, seen, count);
	read_back();
}

static void is_at(const struct advice *advice, const char *line, const char *text)
{
	assert_string_equal(advice->place.line, line);
	if (!strstr(advice->text, text))
		fail_msg("'%s' is not in: %s", text, advice->text);
}

/* Each step waits 30 ms for a batch. */
static struct run loading(unsigned int steps)
{
	struct run run = well;

	run.steps = steps;
	run.step_ns = run.first_ns = 40 * MS;
	run.dataloader_ns = 30 * MS;
	run.operator_ns = 200 * US;
	return run;
}

TEST(one_of_two_workers_is_slow)
{
	const struct seen seen[] = {
		{ LOOP, AT_NEXT, EVT_PYTHON_IO, MS, 28 * MS, 0, 0, 0 },
		{ WORKER, AT_SAMPLE, EVT_PYTHON_RUNS, MS, 28 * MS, 0, 0, 0 },
		{ WORKER + 1, AT_WORKER, EVT_PYTHON_IO, MS, 28 * MS, 0, 0, 0 },
	};
	struct run run = loading(60);
	const struct advice *advice;

	write_waits(&run, seen, 3);
	advice = only("slow_worker", NULL);
	is_at(advice, TRAIN ":30", "another worker for 0 %");
	assert_non_null(strstr(advice->text, "It is process 300."));
	assert_true(advice->place.samples >= 20);
	release();
	run = loading(15); /* few samples make no slow worker */
	write_waits(&run, seen, 3);
	assert_null(advice_of("slow_worker"));
	release();
}

TEST(workers_that_are_all_slow)
{
	const struct seen seen[] = {
		{ LOOP, AT_NEXT, EVT_PYTHON_IO, MS, 28 * MS, 0, 0, 0 },
		{ WORKER, AT_SAMPLE, EVT_PYTHON_RUNS, MS, 28 * MS, 0, 0, 0 },
		{ WORKER + 1, AT_SAMPLE, EVT_PYTHON_SLEEP, MS, 28 * MS, 0, 0, 0 },
	};
	struct run run = loading(60);

	write_waits(&run, seen, 3);
	is_at(only("dataloader", NULL), TRAIN ":30", "the workers were in train.py:30 (decode)");
	release();
	worker_parent = SERVER;
	write_waits(&run, seen, 3);
	worker_parent = 1;
	is_at(only("dataloader", NULL), TRAIN ":30", "the workers were in train.py:30 (decode)");
	release();
}

/* 6 of 10 ms, between two operators. */
static struct run waiting(unsigned int steps)
{
	struct run run = well;

	run.steps = steps;
	run.step_ns = run.first_ns = 100 * MS;
	run.wait_in_one_ns = 80 * MS;
	run.operator_ns = 500 * US;
	return run;
}

#define WAITS_FROM 3 * MS
#define WAITS_FOR 70 * MS

TEST(a_lock_that_another_thread_has)
{
	struct seen seen[] = {
		{ LOOP, AT_LOCK, EVT_PYTHON_LOCK, WAITS_FROM, WAITS_FOR, 0, 0, 0 },
		{ BESIDE, AT_HOLDER, EVT_PYTHON_RUNS, WAITS_FROM, WAITS_FOR, 0, 0, 0 },
	};
	struct run run = waiting(60);

	write_waits(&run, seen, 2);
	is_at(only("lock_wait", NULL), TRAIN ":10", "that it waited for that is likely");
	release();
	seen[0].owner = 200; /* its own word says who has it */
	seen[0].owner_place = AT_HOLDER;
	write_waits(&run, seen, 1);
	is_at(only("lock_wait", NULL), TRAIN ":10",
	      "Thread 200 had the mutex, and was in train.py:10 (compress) for 100 %");
	release();
	seen[0].owner = 0;
	write_waits(&run, seen, 1); /* nobody was seen */
	is_at(only("lock_wait", NULL), TRAIN ":14", "a lock, or for what another thread brings");
	release();
	run = waiting(15);
	write_waits(&run, seen, 1);
	is_at(advice_of("lock_wait"), TRAIN ":14", "so this is a guess");
	assert_int_equal(advice_of("lock_wait")->severity, ADVICE_NOTE);
	release();
}

TEST(a_checkpoint)
{
	const struct seen seen = {
		LOOP, IN_SAVE, EVT_PYTHON_WAITS, WAITS_FROM, WAITS_FOR, 0, 0, 0
	};
	struct run run = waiting(60);

	write_waits(&run, &seen, 1);
	is_at(only("between_operators", NULL), TRAIN ":25", "it waits for a checkpoint's file.");
	assert_non_null(strstr(advice_of("between_operators")->todo, "Save less often"));
	release();
}

/* Slow steps, in which the loop's thread is in train.py:14 and on no CPU, by the kernel's words. */
static void write_slow(uint64_t runnable_ns)
{
	struct run run = waiting(90);

	run.step_ns = run.first_ns = 10 * MS;
	run.wait_every = 6;
	run.reads_clock = true;
	run.runnable_ns = runnable_ns;
	start(1);
	define_places();
	define_threads();
	write_run(1, &run);
	frame_begin_block(c.r.fw, LOOP);
	for (unsigned int i = 0; i < waits; i++) {
		look_put(&(struct seen){ LOOP, AT_LOCK, EVT_PYTHON_WAITS, MS, 70 * MS, 0, 0, 0 },
			 waited_from_ns[i]);
		FRAME_PUT(c.r.fw, waited_from_ns[i] + 75 * MS, python_sample, .place = AT_LOCK,
			  .state = EVT_PYTHON_WAITS, .looks = 1);
	}
	frame_end_block(c.r.fw);
	read_back();
}

TEST(slow_steps_without_a_cpu_have_no_line)
{
	write_slow(0);
	is_at(advice_of("slow_steps"), TRAIN ":14", "time was in train.py:14 (bump)");
	release();
	write_slow(80 * MS / 6); /* ready to run, and not waiting */
	assert_string_equal(advice_of("slow_steps")->place.line, "");
	assert_non_null(strstr(advice_of("slow_steps")->text, "the machine is busy"));
	release();
}

TEST(a_child_process_and_a_queue)
{
	struct seen seen[] = {
		{ LOOP, IN_SUBPROCESS, EVT_PYTHON_IO, WAITS_FROM, WAITS_FOR, 0, 0, 8 },
		{ BESIDE, AT_HOLDER, EVT_PYTHON_RUNS, WAITS_FROM, WAITS_FOR, 0, 0, 0 },
	};
	struct run run = waiting(60);

	write_waits(&run, seen, 2);
	is_at(only("child_process", NULL), TRAIN ":25", "called from train.py:20");
	release();
	seen[0].place = IN_QUEUE;
	seen[0].state = EVT_PYTHON_LOCK;
	write_waits(&run, seen, 2);
	is_at(only("between_operators", NULL), TRAIN ":10", "it waits for a queue.");
	release();
	seen[0].place = AT_LOCK; /* the system call is known */
	seen[0].state = EVT_PYTHON_IO;
	seen[0].call = 75;
	write_waits(&run, seen, 1);
	is_at(only("between_operators", NULL), TRAIN ":14", "it waits for fsync().");
	release();
}

static void write_sampled(const struct run *run, const struct seen *seen, size_t count)
{
	start(1);
	define_places();
	define_threads();
	frame_begin_block(c.r.fw, LOOP);
	FRAME_PUT(c.r.fw, run->start_ns, torch_sampling, .one_in = 100);
	frame_end_block(c.r.fw);
	write_run(1, run);
	write_looks(run, seen, count);
	read_back();
}

/* INTERCEPT_OPERATORS: what is between operators is not known, but a sleep is seen in any step. */
TEST(a_sleep_where_operators_are_sampled)
{
	struct seen seen = { LOOP, AT_LOCK, EVT_PYTHON_SLEEP, WAITS_FROM, WAITS_FOR, 0, 0, 0 };
	struct run run = waiting(60);
	char title[CAUSE_TITLE_BYTES];

	write_sampled(&run, &seen, 1);
	is_at(advice_of("between_operators"), TRAIN ":14", "the loop's thread sleeps for ");
	assert_string_equal(cause_title(advice_of("between_operators"), title),
			    "The loop's thread waits for a sleep");
	release();
	seen.state = EVT_PYTHON_IO;
	write_sampled(&run, &seen, 1);
	is_at(advice_of("between_operators"), TRAIN ":14",
	      "sleeps, or waits for a file or a socket,");
	release();
	seen.state = EVT_PYTHON_LOCK; /* as the loop's thread does while autograd's works */
	write_sampled(&run, &seen, 1);
	assert_null(advice_of("between_operators"));
	release();
	seen.state = EVT_PYTHON_SLEEP; /* the driver sleeps */
	is_in_cuda = true;
	write_sampled(&run, &seen, 1);
	assert_null(advice_of("between_operators"));
	is_in_cuda = false;
	release();
}

/* The optimizer's step begins behind ten operators of 0.7 ms: one look falls into it by chance. */
TEST(a_function_beside_the_model)
{
	const struct seen seen[] = {
		{ LOOP, AT_LOCK, EVT_PYTHON_RUNS, 9 * MS, 2 * MS, 0, 0, 0 },
		{ LOOP, AT_LOCK, EVT_PYTHON_RUNS, 20 * MS, 70 * MS, 0, 0, 0 },
	};
	struct run run = well;

	run.step_ns = run.first_ns = 100 * MS;
	run.optimizer_ns = 4 * MS;
	first_look_at = 30;
	write_waits(&run, seen, 2);
	first_look_at = 0;
	is_at(only("step_function", NULL), TRAIN ":14", "passes in 'bump'");
	release();
	write_waits(&run, seen, 2); /* it runs the loop: what it takes is no news */
	assert_null(advice_of("step_function"));
	release();
}

/* At most looks it is ready to run, in whatever it computes. */
TEST(waits_of_a_loop_without_a_cpu)
{
	const struct seen seen[] = {
		{ LOOP, AT_HOLDER, EVT_PYTHON_READY, WAITS_FROM, 44 * MS, 0, 0, 0 },
		{ LOOP, AT_LOCK, EVT_PYTHON_IO, 48 * MS, 25 * MS, 0, 0, 75 },
	};
	const struct seen all_of_it[] = {
		{ LOOP, AT_LOCK, EVT_PYTHON_IO, WAITS_FROM, WAITS_FOR, 0, 0, 75 },
	};
	struct run run = waiting(60);
	char title[CAUSE_TITLE_BYTES];
	const struct advice *advice;

	write_waits(&run, seen, 2);
	advice = only("between_operators", NULL);
	is_at(advice, TRAIN ":10",
	      "not counting when it was ready to run and had no CPU, it waits for fsync().");
	/* that wait is not most of the seconds at stake */
	assert_string_equal(cause_title(advice, title), "Code or a wait between operators");
	release();
	write_waits(&run, all_of_it, 1);
	assert_string_equal(cause_title(only("between_operators", NULL), title),
			    "The loop's thread waits for fsync()");
	release();
}

TEST(regular_expressions)
{
	struct seen seen[] = {
		{ LOOP, IN_MATCH, EVT_PYTHON_RUNS, WAITS_FROM, WAITS_FOR, 0, 0, 0 },
	};
	struct run run = waiting(60);
	const struct advice *advice;

	write_waits(&run, seen, 1);
	advice = only("between_operators", NULL);
	is_at(advice, TRAIN ":25", "passes in a regular expression");
	assert_non_null(strstr(advice->todo, "backtracks"));
	release();
	seen[0].place = IN_COMPILER; /* what the call itself does is not what takes the time */
	write_waits(&run, seen, 1);
	is_at(only("between_operators", NULL), TRAIN ":25",
	      "passes in the compiler of regular expressions");
	release();
	seen[0].place = IN_ANY_PACKAGE;
	write_waits(&run, seen, 1);
	assert_null(strstr(only("between_operators", NULL)->text, "passes in"));
	release();
	run = loading(60); /* the loop makes its batches itself */
	seen[0] = (struct seen){ LOOP, IN_MATCH, EVT_PYTHON_RUNS, MS, 28 * MS, 0, 0, 0 };
	write_waits(&run, seen, 1);
	advice = only("dataloader", NULL);
	is_at(advice, TRAIN ":25", "of that time passes in a regular expression");
	assert_non_null(strstr(advice->todo, "backtracks"));
	release();
}

static enum evt_python_state loop_state = EVT_PYTHON_SLEEP; /* of its callbacks */
static unsigned int loop_thread = LOOP, loop_callback = AT_CALLBACK;

/* A loop that runs callbacks, with so much of its time in theirs. */
static void write_loop(unsigned int blocked_of_10)
{
	start(1);
	define_places();
	define_threads();
	frame_begin_block(c.r.fw, loop_thread);
	for (unsigned int i = 0; i < 300; i++) {
		bool blocks = i % 10 < blocked_of_10;

		FRAME_PUT(c.r.fw, (i + 1) * 20ull * MS, python_sample, .looks = i != 0,
			  .place = blocks ? loop_callback : AT_SELECT,
			  .state = blocks ? loop_state : EVT_PYTHON_IO);
	}
	frame_end_block(c.r.fw);
	now = 301 * 20ull * MS;
	read_back();
}

TEST(an_event_loop_that_is_blocked)
{
	write_loop(6);
	is_at(only("blocked_event_loop", NULL), TRAIN ":40", "waited for 59.9 %");
	assert_true(advice_of("blocked_event_loop")->gain_ns > 3500 * (uint64_t)MS);
	release();
	write_loop(0); /* it waits for requests */
	assert_int_equal(bottleneck.advice_count, 0);
	release();
}

/* A package's loop on a thread of its own may wait there for ever: jupyter_client's heartbeat. */
TEST(a_packages_own_event_loop)
{
	loop_thread = BESIDE;
	loop_callback = IN_PACKAGES_LOOP;
	write_loop(10);
	assert_null(advice_of("blocked_event_loop"));
	release();
	loop_callback = AT_CALLBACK; /* in which the user's code waits */
	write_loop(10);
	is_at(only("blocked_event_loop", NULL), TRAIN ":40", "on thread 200 waited");
	release();
	loop_thread = LOOP;
	loop_callback = IN_CELL; /* the kernel's loop has nothing else to do */
	write_loop(10);
	assert_null(advice_of("blocked_event_loop"));
	release();
	loop_callback = AT_CALLBACK;
}

/* Many short callbacks look like one long one: a note, unless one function has half of them. */
TEST(an_event_loop_that_computes)
{
	loop_state = EVT_PYTHON_RUNS;
	write_loop(6);
	is_at(advice_of("blocked_event_loop"), TRAIN ":40",
	      "computed, or were ready to, for 59.9 %");
	assert_int_not_equal(advice_of("blocked_event_loop")->severity, ADVICE_NOTE);
	assert_null(advice_of("hot_line")); /* the same line */
	release();
	write_loop(4); /* it is idle for most of the time */
	assert_null(advice_of("blocked_event_loop"));
	release();
	loop_state = EVT_PYTHON_SLEEP;
}

/* Without steps: so many looks of the main thread at that place. */
static void write_main(enum place place, enum evt_python_state state, uint64_t call)
{
	start(1);
	define_places();
	define_threads();
	frame_begin_block(c.r.fw, LOOP);
	for (unsigned int i = 0; i < 100; i++)
		FRAME_PUT(c.r.fw, (i + 1) * 20ull * MS, python_sample, .looks = i != 0,
			  .place = place, .state = state, .call = call);
	frame_end_block(c.r.fw);
	now = 101 * 20ull * MS;
	read_back();
}

TEST(what_a_program_without_steps_waits_for)
{
	char title[CAUSE_TITLE_BYTES];

	write_main(AT_LOCK, EVT_PYTHON_IO, 75);
	is_at(only("waits", NULL), TRAIN ":14", "the main thread waits for fsync()");
	assert_string_equal(cause_title(advice_of("waits"), title),
			    "The main thread waits for fsync()");
	release();
	write_main(AT_LOCK, EVT_PYTHON_IO, 289); /* accept4(): a server has nothing to do */
	assert_int_equal(bottleneck.advice_count, 0);
	release();
	write_main(AT_LOCK, EVT_PYTHON_CHILD, 62);
	is_at(only("child_process", NULL), TRAIN ":14", "of the run");
	release();
}

/* It waits for fsync() at every tenth look, and is ready to run at the others; else it is idle. */
static bool starves_and_syncs;

/* A program without steps that has no CPU for `runnable_ns` of 10 s, on a machine of so many. */
static void write_starving(uint64_t runnable_ns, const char *cores)
{
	start(1);
	define_places();
	define_threads();
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 0, meta, .key = name("cores"), .value = name(cores));
	FRAME_PUT(c.r.fw, 0, thread_sched, .stream = LOOP, .runnable_ns = 7);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, LOOP);
	for (unsigned int i = 0; i < 500; i++)
		FRAME_PUT(c.r.fw, (i + 1) * 20ull * MS, python_sample, .looks = i != 0,
			  .place = !starves_and_syncs ? AT_SELECT
				   : i % 10           ? AT_HOLDER
						      : AT_LOCK,
			  .state = starves_and_syncs && i % 10 ? EVT_PYTHON_READY : EVT_PYTHON_IO,
			  .call = starves_and_syncs ? 75 : 0);
	frame_end_block(c.r.fw);
	now = 501 * 20ull * MS;
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, now, thread_sched, .stream = LOOP, .cpu_ns = 1000 * (uint64_t)MS,
		  .runnable_ns = 7 + runnable_ns);
	frame_end_block(c.r.fw);
	read_back();
}

TEST(a_program_without_a_cpu)
{
	write_starving(4000 * (uint64_t)MS, "8");
	is_at(only("cpu_contention", NULL), "", "had no CPU for 40.0 % of its life");
	release();
	write_starving(1000 * (uint64_t)MS, "8");
	assert_int_equal(bottleneck.advice_count, 0);
	release();
	write_starving(4000 * (uint64_t)MS, "many");
	assert_int_equal(bottleneck.advice_count, 0);
	release();
}

/* Its work takes longer then, its waits do not: they count by the time that it could use. */
TEST(waits_of_a_program_without_a_cpu)
{
	const struct advice *advice;

	starves_and_syncs = true;
	write_starving(8000 * (uint64_t)MS, "8");
	advice = only("waits", "cpu_contention");
	is_at(advice, TRAIN ":14",
	      "% of the run, not counting when it was ready to run and had no CPU.");
	assert_true(advice->value > 45 && advice->value < 55);
	assert_true(advice->gain_ns > 900 * (uint64_t)MS && advice->gain_ns < 1100 * (uint64_t)MS);
	assert_non_null(strstr(advice->todo, "once"));
	release();
	write_starving(1000 * (uint64_t)MS, "8");
	assert_null(advice_of("waits")); /* a tenth of the run, which had a CPU */
	release();
	starves_and_syncs = false;
}

/*
 * A program without Python, of 10 s: its thread runs for 1 s and is ready to for `ready_ns`; its
 * calls of fsync() took `calls_ns`.
 */
static void write_native(uint64_t ready_ns, uint64_t calls_ns, unsigned int threads)
{
	c = (struct cuda_recording){ .names = 0 };
	recording_start(&c.r, &cuda_recording_header);
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 0, process, .process = 1, .pid = 100);
	for (unsigned int i = 0; i < threads; i++)
		FRAME_PUT(c.r.fw, 0, thread, .stream = LOOP + i, .process = 1, .tid = 100 + 100 * i,
			  .level = 2, .cpu_ns = 1000, .used_ns = 1000);
	FRAME_PUT(c.r.fw, 0, thread_sched, .stream = LOOP, .runnable_ns = 7);
	frame_end_block(c.r.fw);
	now = 10000 * (uint64_t)MS;
	frame_begin_block(c.r.fw, LOOP);
	for (unsigned int i = 0; i < 10; i++)
		FRAME_PUT(c.r.fw, now - i, io_call, .function = name("fsync"), .fd = 3,
			  .duration = calls_ns / 10);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, now, thread_sched, .stream = LOOP, .cpu_ns = 1000 * (uint64_t)MS,
		  .runnable_ns = 7 + ready_ns);
	frame_end_block(c.r.fw);
	read_back();
}

/* Of 4 s of waiting, the time beside the calls explains the rest. */
TEST(a_native_program_that_waits_in_calls)
{
	const struct advice *advice;

	write_native(5000 * (uint64_t)MS, 9000 * (uint64_t)MS, 1);
	advice = advice_of("waits");
	assert_non_null(advice);
	is_at(advice, "", "waits in fsync() for at least 30 % of the run: 10 calls took 9.00 s.");
	assert_non_null(strstr(advice->todo, "once"));
	release();
	write_native(5000 * (uint64_t)MS, 6000 * (uint64_t)MS, 1);
	assert_null(advice_of("waits")); /* it may have waited somewhere else */
	release();
	write_native(5000 * (uint64_t)MS, 9000 * (uint64_t)MS, 2);
	assert_null(advice_of("waits")); /* another thread may have called */
	release();
}

/* What a thread is in all the time, on a CPU. */
struct busy {
	unsigned int stream, place;
};

/* At three of four looks they have no CPU, and stand there; 0: they always have one. */
static unsigned int queued_at;
/* At three of four looks they wait there for a lock, else they sleep; 0: never. */
static unsigned int locked_at;

static void busy_put(const struct busy *busy, unsigned int look)
{
	bool is_queued = queued_at && look % 4;

	if (locked_at) {
		FRAME_PUT(c.r.fw, (look + 1) * 20ull * MS, python_sample, .looks = look != 0,
			  .place = look % 4 ? locked_at : busy->place,
			  .state = look % 4 ? EVT_PYTHON_LOCK : EVT_PYTHON_SLEEP);
		return;
	}
	FRAME_PUT(c.r.fw, (look + 1) * 20ull * MS, python_sample, .looks = look != 0,
		  .place = is_queued ? queued_at : busy->place,
		  .state = is_queued ? EVT_PYTHON_READY : EVT_PYTHON_RUNS,
		  .cpu_us = look && !is_queued ? 20000 : 0);
}

/* Without steps: the main thread waits there, and others are at work. */
static void write_others(unsigned int place, enum evt_python_state state, uint64_t call,
			 const struct busy *busy, size_t count)
{
	start(1);
	define_places();
	define_threads();
	frame_begin_block(c.r.fw, LOOP);
	for (unsigned int i = 0; i < 100; i++)
		FRAME_PUT(c.r.fw, (i + 1) * 20ull * MS, python_sample, .looks = i != 0,
			  .place = place, .state = state, .call = call);
	frame_end_block(c.r.fw);
	for (size_t other = 0; other < count; other++) {
		frame_begin_block(c.r.fw, busy[other].stream);
		for (unsigned int i = 0; i < 100; i++)
			busy_put(&busy[other], i);
		frame_end_block(c.r.fw);
	}
	now = 101 * 20ull * MS;
	read_back();
}

TEST(a_loop_without_steps_waits_for_workers)
{
	const struct busy workers[] = { { WORKER, AT_SAMPLE }, { WORKER + 1, AT_SAMPLE } };
	const struct busy starting[] = { { WORKER, AT_HOLDER }, { WORKER + 1, AT_HOLDER } };

	write_others(IN_LOADER, EVT_PYTHON_IO, 0, workers, 2);
	is_at(advice_of("dataloader"), TRAIN ":30", "100 % of the workers' time meanwhile was in");
	assert_string_equal(advice_of("dataloader")->waits_at, TRAIN ":20");
	assert_null(advice_of("waits"));
	assert_null(advice_of("hot_line")); /* the same line */
	release();
	write_others(IN_LOADER, EVT_PYTHON_IO, 0, starting, 2); /* they make no samples */
	is_at(advice_of("dataloader"), TRAIN ":20", "the main thread waits for the DataLoader");
	release();
}

/* On a busy machine threads stand where they lost the CPU, which is not where they work. */
TEST(workers_that_have_no_cpu_are_not_at_work)
{
	const struct busy workers[] = { { WORKER, AT_SAMPLE }, { WORKER + 1, AT_SAMPLE } };

	queued_at = AT_SAMPLE_END;
	write_others(IN_LOADER, EVT_PYTHON_IO, 0, workers, 2);
	is_at(advice_of("dataloader"), TRAIN ":30", "100 % of the workers' time meanwhile was in");
	release();
	queued_at = 0;
}

TEST(all_who_are_waited_for_are_in_one_line)
{
	const struct busy same[] = { { WORKER, AT_HOLDER }, { WORKER + 1, AT_HOLDER } };
	const struct busy two[] = { { WORKER, AT_HOLDER }, { WORKER + 1, AT_LOCK } };

	write_others(IN_FUTURE, EVT_PYTHON_LOCK, 0, same, 2);
	assert_null(advice_of("waits")); /* what they do is the cause */
	assert_string_equal(advice_of("hot_line")->place.line, TRAIN ":10");
	release();
	write_others(IN_FUTURE, EVT_PYTHON_LOCK, 0, two, 2);
	is_at(advice_of("waits"), TRAIN ":20", "which one it waited for was not recorded");
	release();
}

/* A forked worker has the frames of its parent around its own: these are not what it does. */
TEST(workers_in_a_library_are_in_no_line_of_their_parents)
{
	const struct busy workers[] = { { WORKER, IN_CHILD }, { WORKER + 1, IN_CHILD } };

	write_others(IN_FUTURE, EVT_PYTHON_LOCK, 0, workers, 2);
	is_at(advice_of("waits"), TRAIN ":20", "the main thread waits for");
	assert_null(strstr(advice_of("waits")->text, "At the same time"));
	assert_null(strstr(advice_of("waits")->text, "at work"));
	assert_null(advice_of("hot_line"));
	release();
}

/* Threads that wait for a lock are not at work: who is not among them had it. */
TEST(threads_that_wait_for_a_lock_name_who_has_it)
{
	const struct busy pool[] = { { WORKER, AT_HOLDER }, { WORKER + 1, AT_HOLDER } };
	const struct advice *advice;

	locked_at = AT_LOCK;
	write_others(IN_FUTURE, EVT_PYTHON_LOCK, 0, pool, 2);
	locked_at = 0;
	advice = advice_of("waits");
	assert_non_null(advice);
	assert_null(strstr(advice->text, "at work"));
	assert_non_null(strstr(advice->text, "waited for a lock meanwhile"));
	assert_non_null(strstr(advice->text, "train.py:14"));
	assert_string_equal(advice->place.line, TRAIN ":10");
	assert_string_equal(advice->waits_at, TRAIN ":20");
	release();
}

TEST(a_client_of_its_own_server)
{
	const struct busy server[] = { { BESIDE, AT_HOLDER } };
	const struct busy stranger[] = { { WORKER, AT_HOLDER } };

	write_others(AT_LOCK, EVT_PYTHON_IO, 46, server, 1); /* recvfrom() */
	assert_null(advice_of("waits"));
	assert_string_equal(advice_of("hot_line")->place.line, TRAIN ":10");
	release();
	write_others(AT_LOCK, EVT_PYTHON_IO, 46, stranger, 1); /* another process */
	is_at(advice_of("waits"), TRAIN ":14", "the main thread waits for recvfrom()");
	release();
}
