/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/samples/thread_look.c: what the kernel's lines say of a thread; this thread and one
 * that is not there.
 */
#include "tests/unit/unit.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/arch/calls.h"
#include "collector/samples/thread_look.h"

#define GIL 0x7f0000001000u

/*
 * Replaces the number of x86-64 at the line's begin by the one that the call has here. NULL: there
 * is no such call here.
 */
static const char *line_here(const char *line)
{
	static char text[128];
	char *rest;
	long number = strtol(line, &rest, 10), here = 0;

	if (rest == line || number < 0 || number > 1000)
		return line;
	while (here < 1000 && arch_call_number(here) != number)
		here++;
	snprintf(text, sizeof(text), "%ld%s", here, rest);
	return here < 1000 ? text : NULL;
}

static enum evt_python_state state_of(const char *line, uint64_t gil, struct thread_wait *ret_wait)
{
	return thread_state_of_call(line_here(line), gil, ret_wait);
}

TEST(calls_say_what_is_waited_for)
{
	static const struct {
		const char *line;
		enum evt_python_state state;
	} lines[] = {
		{ "running\n", EVT_PYTHON_RUNS },
		{ "-1 0x7ffc 0x7f00\n", EVT_PYTHON_WAITS },
		{ "202 0x7f0000001050 0x189 0x0\n", EVT_PYTHON_GIL },
		{ "202 0x7f0000000fff 0x189 0x0\n", EVT_PYTHON_LOCK },
		{ "202 0x7f00000010d0 0x189 0x0\n", EVT_PYTHON_LOCK }, /* just behind it */
		{ "0 0x3 0x7f 0x1000\n", EVT_PYTHON_IO },
		{ "7 0x7ffc 0x1 0xffffffff\n", EVT_PYTHON_IO },
		{ "23 0x0 0x0 0x0\n", EVT_PYTHON_SLEEP }, /* select() of nothing */
		{ "270 0x0 0x0 0x0\n", EVT_PYTHON_SLEEP },
		{ "23 0x4 0x7ffc 0x0\n", EVT_PYTHON_IO },
		{ "230 0x1 0x0\n", EVT_PYTHON_SLEEP },
		{ "61 0xffffffff\n", EVT_PYTHON_CHILD },
		{ "16 0x5 0x2a\n", EVT_PYTHON_WAITS }, /* ioctl */
		{ "", EVT_PYTHON_WAITS },
		{ "nonsense", EVT_PYTHON_WAITS },
		{ "99999999999999999999", EVT_PYTHON_WAITS },
	};

	struct thread_wait wait;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (line_here(lines[i].line))
			assert_int_equal(state_of(lines[i].line, GIL, &wait), lines[i].state);
	assert_int_equal(state_of("202 0x50 0x189\n", 0, &wait), EVT_PYTHON_LOCK);
	assert_int_equal(wait.call, 203);
	assert_int_equal(wait.mutex, 0); /* a semaphore */
	assert_int_equal(state_of("202 0x50 0x80 0x2 0x0\n", 0, &wait), EVT_PYTHON_LOCK);
	assert_int_equal(wait.mutex, 0x50);
	(void)state_of("202 0x50 0x80 0x1 0x0\n", 0, &wait);
	assert_int_equal(wait.mutex, 0);
	(void)state_of("202 0x51 0x80 0x2 0x0\n", 0, &wait); /* no word lies there */
	assert_int_equal(wait.mutex, 0);
	(void)state_of("74 0x3 0x0\n", 0, &wait);
	assert_int_equal(wait.call, 75);
	(void)state_of("99999999999999999999", 0, &wait);
	assert_int_equal(wait.call, 0);
	assert_int_equal(thread_state_of_letter('R'), EVT_PYTHON_RUNS);
	assert_int_equal(thread_state_of_letter('D'), EVT_PYTHON_IO);
	assert_int_equal(thread_state_of_letter('S'), EVT_PYTHON_WAITS);
	assert_int_equal(thread_state_of_letter('T'), EVT_PYTHON_STOPPED);
	assert_int_equal(thread_state_of_letter('t'), EVT_PYTHON_STOPPED);
}

TEST(looker_runs)
{
	struct thread_files files;
	struct thread_look first = { 0 }, second = { 0 };

	thread_files_init(&files, (uint32_t)getpid(), (uint32_t)syscall(SYS_gettid));
	if (!thread_look(&files, 0, &first)) {
		thread_files_close(&files);
		skip(); /* no schedstat in this kernel; tests/run says so */
	}
	assert_true(thread_look(&files, 0, &second));
	assert_true(second.cpu_ns >= first.cpu_ns);
	thread_files_close(&files);
	assert_int_equal(files.schedstat, -1);
}

TEST(thread_that_is_gone_is_none)
{
	struct thread_files files;
	struct thread_look look = { 0 };

	thread_files_init(&files, (uint32_t)getpid(), 0x7ffffff0);
	assert_false(thread_look(&files, 0, &look));
	thread_files_close(&files);
}

TEST(times_are_three_numbers)
{
	static const char *const wrong[] = { "",       "\n",    "1",     "1 2",   "1 2 ",
					     "-1 2 3", "a b c", "1,2,3", " 1 2 3" };
	struct thread_look look = { .cpu_ns = 7, .ready_ns = 8, .turns = 9 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(thread_times_of(wrong[i], &look));
	assert_int_equal(look.cpu_ns + look.ready_ns + look.turns, 24);
	assert_true(thread_times_of("2624736027 4205878123 6661\n", &look));
	assert_int_equal(look.cpu_ns, 2624736027);
	assert_int_equal(look.ready_ns, 4205878123);
	assert_int_equal(look.turns, 6661);
}

static bool looks_are_possible(void)
{
	struct thread_files own;
	struct thread_look look = { 0 };
	bool possible;

	thread_files_init(&own, (uint32_t)getpid(), (uint32_t)syscall(SYS_gettid));
	possible = thread_look(&own, 0, &look) && look.turns;
	thread_files_close(&own);
	return possible;
}

/*
 * Until a child that is going to wait does: on a busy machine a new one has not run yet, or stands
 * in the queue.
 */
static void look_until_it_waits(struct thread_files *files, struct thread_look *look)
{
	uint64_t turns;

	do {
		turns = look->turns;
		usleep(1000);
		assert_true(thread_look(files, 0, look));
	} while (!look->turns || look->turns != turns || look->state == EVT_PYTHON_RUNS ||
		 look->state == EVT_PYTHON_READY);
}

/*
 * It waited and has not run since: what for is not asked again. One that ran or was about to is
 * asked.
 */
TEST(who_has_not_run_waits_for_the_same)
{
	static const enum evt_python_state asked[] = { EVT_PYTHON_RUNS, EVT_PYTHON_READY };
	struct thread_files files;
	struct thread_look look = { 0 };
	int channel[2];
	pid_t child;

	if (!looks_are_possible())
		skip(); /* no schedstat in this kernel; tests/run says so */
	assert_int_equal(pipe(channel), 0);
	child = fork();
	if (child == 0) {
		char byte;

		close(channel[1]); /* so that it ends with us */
		_exit(read(channel[0], &byte, 1) != 1);
	}
	thread_files_init(&files, (uint32_t)child, (uint32_t)child);
	look_until_it_waits(&files, &look);
	look.state = EVT_PYTHON_GIL; /* so that one sees whether it was asked */
	assert_true(thread_look(&files, 0, &look));
	assert_int_equal(look.state, EVT_PYTHON_GIL);
	for (size_t i = 0; i < 2; i++) {
		look.state = asked[i];
		assert_true(thread_look(&files, 0, &look));
		assert_int_not_equal(look.state, asked[i]);
	}
	assert_int_equal(write(channel[1], "x", 1), 1);
	assert_int_equal(waitpid(child, NULL, 0), child);
	thread_files_close(&files);
}

/* Waiting for room in a ring is no wait of the program's: it would run if we had had a CPU. */
TEST(who_waits_for_us_is_ready)
{
	static uint32_t word[2];
	struct thread_files files;
	struct thread_look look = { 0 };
	pid_t child;

	if (!looks_are_possible())
		skip(); /* no schedstat in this kernel; tests/run says so */
	child = fork();
	if (child == 0)
		for (;;)
			(void)syscall(SYS_futex, &word[1], FUTEX_WAIT, 0, NULL, NULL, 0);
	thread_files_init(&files, (uint32_t)child, (uint32_t)child);
	look_until_it_waits(&files, &look);
	if (look.state == EVT_PYTHON_LOCK) { /* else its call may not be read */
		look.state = EVT_PYTHON_RUNS;
		files.ours_at = (uint64_t)(uintptr_t)word;
		files.ours_bytes = sizeof(word[0]);
		assert_true(thread_look(&files, 0, &look));
		assert_int_equal(look.state, EVT_PYTHON_LOCK);
		look.state = EVT_PYTHON_RUNS;
		files.ours_bytes = sizeof(word);
		assert_true(thread_look(&files, 0, &look));
		assert_int_equal(look.state, EVT_PYTHON_RUNS);
		assert_int_equal(look.wait.call, 0);
	}
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	thread_files_close(&files);
}

TEST(switches_are_counted)
{
	const char *const wrong[] = {
		"", "Name:\tpython\n", "\nvoluntary_ctxt_switches:\t5\n",
		"\nvoluntary_ctxt_switches:\t\nnonvoluntary_ctxt_switches:\t\n"
	};
	struct thread_switches switches;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(thread_switches_of(wrong[i], &switches));
	assert_true(
		thread_switches_of("Name:\tvoluntary_ctxt_switches:7\nvoluntary_ctxt_switches:\t5\n"
				   "nonvoluntary_ctxt_switches:\t31\n",
				   &switches));
	assert_int_equal(switches.to_wait, 5);
	assert_int_equal(switches.to_others, 31);
}

/* Turns before and after, given up before and after (to wait, to others). */
static enum thread_place place(uint64_t before, uint64_t after, struct thread_switches early,
			       struct thread_switches late)
{
	return thread_place_at(&(struct thread_moment){ .is_known = true,
							.early = early,
							.turns_before = before,
							.turns_after = after,
							.late = late });
}

TEST(counts_around_a_moment_say_who_was_on_a_cpu)
{
	const struct thread_switches none = { 5, 4 }, waits = { 6, 4 }, put_off = { 5, 5 },
				     both = { 6, 5 };

	/*
	 * it got its tenth turn and has given up nine: on a CPU all the time, or since some time
	 * before the moment
	 */
	assert_int_equal(place(10, 10, none, none), THREAD_ON_CPU);
	assert_int_equal(place(10, 10, (struct thread_switches){ 4, 4 }, none), THREAD_ON_CPU);
	/*
	 * it waited, or was in a queue, all the time: also if it got a turn and gave it up before
	 * the counters were read
	 */
	assert_int_equal(place(9, 9, none, none), THREAD_OFF_CPU);
	assert_int_equal(place(8, 9, none, none), THREAD_OFF_CPU);
	/* it gave its CPU up to wait, before or after: it may have been woken since */
	assert_int_equal(place(10, 10, none, waits), THREAD_LEFT);
	/* it lost its CPU, before or after */
	assert_int_equal(place(10, 10, none, put_off), THREAD_LEFT);
	assert_int_equal(place(10, 10, (struct thread_switches){ 4, 4 }, put_off), THREAD_LEFT);
	/* it got a CPU, before or after */
	assert_int_equal(place(9, 10, none, none), THREAD_ARRIVED);
	assert_int_equal(place(10, 12, none, both), THREAD_ARRIVED);
	/* a kernel that does not tell */
	assert_int_equal(thread_place_at(&(struct thread_moment){ .is_known = false }),
			 THREAD_ON_CPU);
}

TEST(time_of_a_switch_is_read)
{
	const char *const wrong[] = { "",
				      "se.exec_start",
				      "se.exec_start : 12",
				      "se.exec_start : 12.5",
				      "se.exec_start : 99999999999999999999.000001",
				      "nr_switches : 1.000000" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(thread_switched_of(wrong[i]), 0);
	assert_int_equal(thread_switched_of("x (1, #threads: 1)\n---\n"
					    "se.exec_start   :       3136247.225814\nse.vruntime"),
			 3136247225814);
}

/* A child that waits has given its CPU up; the thread that asks is on one. */
TEST(who_is_on_a_cpu_is_told)
{
	struct thread_files own, other;
	struct thread_look look = { .turns = 0 };
	struct thread_moment moment;
	pid_t child = fork();

	if (!child) {
		alarm(100); /* it ends without us, too */
		for (;;)
			pause();
	}
	assert_true(child > 0);
	thread_files_init(&own, (uint32_t)getpid(), (uint32_t)syscall(SYS_gettid));
	thread_files_init(&other, (uint32_t)child, (uint32_t)child);
	look_until_it_waits(&other, &look);
	thread_moment_begin(&other, &look, &moment);
	thread_moment_end(&other, &moment);
	if (moment.is_known) {
		assert_int_equal(thread_place_at(&moment), THREAD_OFF_CPU);
		assert_true(thread_has_left(&moment));
		assert_false(thread_moment_had_cpu(&moment));
		assert_true(thread_has_stayed(&other, &moment));
	}
	kill(child, SIGSTOP);
	waitpid(child, NULL, WUNTRACED);
	assert_true(thread_look(&other, 0, &look));
	assert_int_equal(look.state, EVT_PYTHON_STOPPED); /* not in pause(), where it was */
	assert_int_equal(look.wait.call, 0);
	kill(child, SIGCONT);
	do /* stopped, or on its way back */
		assert_true(thread_look(&other, 0, &look));
	while (look.state != EVT_PYTHON_WAITS);
	do { /* others may take our CPU in between */
		look = (struct thread_look){ .turns = 0 };
		assert_true(thread_look(&own, 0, &look));
		look.state = EVT_PYTHON_RUNS; /* the call that asks is its own */
		thread_moment_begin(&own, &look, &moment);
		thread_moment_end(&own, &moment);
	} while (thread_place_at(&moment) != THREAD_ON_CPU);
	assert_true(!moment.is_known || thread_moment_had_cpu(&moment));
	thread_files_close(&own);
	thread_files_close(&other);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}
