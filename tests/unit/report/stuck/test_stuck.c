/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/stuck/: which rank is late, what is not known, locks of each other, what left, and what
 * only seems stuck.
 */
#include "report/stuck/idle_threads.h"
#include "report/stuck/oom_words.h"
#include "report/stuck/stuck.h"

#include "tests/unit/samples_recording.h"
#include "tests/unit/recording_source.h"

#define RANKS 3
#define END_MS 60000ull

static struct stuck stuck;

static uint64_t stream_of(unsigned int rank)
{
	return 2 * rank + 1;
}

/* Three processes; `ranks` of them have a rank and belong to a job of `world`. */
static void start_ranks(unsigned int ranks, unsigned int world)
{
	char text[16];

	cuda_recording_start(&c, RANKS);
	define_all();
	frame_begin_block(c.r.fw, 0);
	for (unsigned int i = 0; i < ranks; i++) {
		snprintf(text, sizeof(text), "%u", i);
		FRAME_PUT(c.r.fw, 1, meta, .process = i + 1, .key = cuda_recording_name(&c, "rank"),
			  .value = cuda_recording_name(&c, text));
		snprintf(text, sizeof(text), "%u", world);
		FRAME_PUT(c.r.fw, 1, meta, .process = i + 1,
			  .key = cuda_recording_name(&c, "world_size"),
			  .value = cuda_recording_name(&c, text));
	}
	frame_end_block(c.r.fw);
}

static void ends(unsigned int rank, uint64_t at_ms, int64_t status, uint64_t how)
{
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, at_ms * MS, process_end, .process = rank + 1, .exit_status = status,
		  .how = how);
	frame_end_block(c.r.fw);
}

/* Ran at place 1 until then, and has been at `place` since, to `to_ms`, as seen once a second. */
static void rests(uint64_t stream, uint64_t from_ms, uint64_t to_ms, uint64_t place, uint64_t state)
{
	frame_begin_block(c.r.fw, stream);
	sample(10 * MS, 1, EVT_PYTHON_RUNS, 0);
	sample(from_ms * MS, 1, EVT_PYTHON_RUNS, 5000);
	for (uint64_t ms = from_ms + 1000; ms <= to_ms; ms += 1000)
		sample(ms * MS, place, state, 0);
	frame_end_block(c.r.fw);
}

/* The calls of a label that ended, one a millisecond, and one that did not. */
static void calls(unsigned int rank, const char *label, unsigned int ended, uint64_t open_ms)
{
	uint64_t named = cuda_recording_name(&c, label);

	frame_begin_block(c.r.fw, stream_of(rank));
	for (unsigned int i = 0; i < ended; i++) {
		FRAME_PUT(c.r.fw, (20 + i) * MS, torch_async_begin, .name = named, .function = 64);
		FRAME_PUT(c.r.fw, (20 + i) * MS + 1, torch_async_end, .function = 64);
	}
	if (open_ms)
		FRAME_PUT(c.r.fw, open_ms * MS, torch_async_begin, .name = named, .function = 64);
	frame_end_block(c.r.fw);
}

static void find(void)
{
	struct filter_settings options = plain;

	cuda_recording_finish(&c, END_MS * MS);
	source = recording_source(&c.r);
	run = run_new(source, &options);
	stuck = (struct stuck){ 0 };
	stuck_want(&stuck, run);
	run_read(run, false);
	stuck_find(&stuck, NULL);
}

static void says(size_t index, const char *sentence)
{
	assert_true(index < stuck.sentence_count);
	assert_string_equal(stuck.sentence[index], sentence);
}

static void over(void)
{
	stuck_release(&stuck);
	finish();
}

TEST(one_rank_is_late)
{
	start_ranks(3, 3);
	for (unsigned int i = 0; i < 3; i++) {
		calls(i, "gloo:all_reduce", 5, i == 1 ? 0 : 1000 + i);
		rests(stream_of(i), 1000, END_MS, i == 1 ? 3 : 2,
		      i == 1 ? EVT_PYTHON_SLEEP : EVT_PYTHON_LOCK);
	}
	find();
	says(0,
	     "Rank 1 has not entered gloo:all_reduce number 6, which ranks 0 and 2 entered 59.0 s "
	     "ago; it is at made.py:11 (work), sleeping.");
	assert_int_equal(stuck.sentence_count, 1);
	over();
}

static void is_stopped(unsigned int rank, uint64_t at_ms, uint64_t stopped)
{
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, at_ms * MS, process_cpu, .process = rank + 1, .cpu_ns = at_ms,
		  .stopped = stopped);
	frame_end_block(c.r.fw);
}

/* By SIGSTOP, by a debugger, and one that goes on again. */
TEST(a_process_is_stopped)
{
	static const char *const said[] = {
		"Rank 1 has not entered gloo:all_reduce number 6, which ranks 0 and 2 entered "
		"59.0 s ago; it is at made.py:11 (work), stopped by a signal.",
		"Rank 1 has not entered gloo:all_reduce number 6, which ranks 0 and 2 entered "
		"59.0 s ago; it is at made.py:11 (work), stopped by a debugger.",
		"Rank 1 has not entered gloo:all_reduce number 6, which ranks 0 and 2 entered "
		"59.0 s ago; it is at made.py:11 (work), waiting for something that was not "
		"recorded.",
	};

	for (unsigned int kind = 0; kind < 3; kind++) {
		start_ranks(3, 3);
		is_stopped(1, 1500, kind == 1 ? 2 : 1);
		if (kind == 2)
			is_stopped(1, 2500, 0);
		for (unsigned int i = 0; i < 3; i++) {
			calls(i, "gloo:all_reduce", 5, i == 1 ? 0 : 1000 + i);
			rests(stream_of(i), 1000, END_MS, i == 1 ? 3 : 2,
			      i == 1 ? EVT_PYTHON_WAITS : EVT_PYTHON_LOCK);
		}
		find();
		says(0, said[kind]);
		over();
	}
}

/*
 * It has ended one call less than those before the one that the others are in: perhaps it is in
 * other groups.
 */
TEST(who_is_late_is_not_known)
{
	start_ranks(3, 3);
	for (unsigned int i = 0; i < 3; i++) {
		calls(i, "gloo:all_reduce", i == 1 ? 4 : 5, i == 1 ? 0 : 1000);
		rests(stream_of(i), 1000, END_MS, 2, EVT_PYTHON_LOCK);
	}
	find();
	says(0,
	     "Ranks 0 and 2: in gloo:all_reduce number 6 for 59.0 s, at made.py:3 (main), waiting "
	     "for the other ranks.");
	says(1,
	     "The ranks have called gloo:all_reduce unequally often, so several groups may use it, "
	     "and who is missing is not known.");
	over();
}

TEST(they_are_in_different_ones)
{
	start_ranks(3, 3);
	for (unsigned int i = 0; i < 3; i++) {
		calls(i, "gloo:all_reduce", 5, i == 1 ? 0 : 1000);
		if (i == 1)
			calls(i, "gloo:barrier", 0, 1000);
		rests(stream_of(i), 1000, END_MS, 2, EVT_PYTHON_LOCK);
	}
	find();
	says(0, "The ranks are in 2 different collectives at the same time, and none of these goes "
		"on:");
	assert_int_equal(stuck.sentence_count, 3);
	over();
}

TEST(a_rank_was_killed)
{
	start_ranks(3, 3);
	for (unsigned int i = 0; i < 3; i++) {
		calls(i, "gloo:all_reduce", 5, i == 1 ? 0 : 1000);
		rests(stream_of(i), 1000, i == 1 ? 10000 : END_MS, 2, EVT_PYTHON_LOCK);
	}
	ends(1, 10000, 137, EVT_END_KILLED);
	find();
	says(0,
	     "Rank 1 was killed by SIGKILL, 50.0 s ago, and had not entered gloo:all_reduce number "
	     "6, in which ranks 0 and 2 have waited for 59.0 s.");
	over();
}

/* It ended by itself; that gives one of the others an error, and the third one waits on. */
TEST(a_rank_left)
{
	start_ranks(3, 3);
	for (unsigned int i = 0; i < 3; i++) {
		calls(i, "gloo:all_reduce", i == 2 ? 6 : 5, i == 0 ? 1000 : 0);
		rests(stream_of(i), 1000, i == 1 ? 10000 : END_MS, 2, EVT_PYTHON_LOCK);
	}
	ends(1, 10000, 0, EVT_END_EXIT);
	find();
	says(0, "Rank 1 ended, 50.0 s ago, and had not entered gloo:all_reduce number 6, in which "
		"rank 0 has waited for 59.0 s.");
	says(1, "Rank 2 has come out of it.");
	over();
}

/* One ends without an error, and that ends the others; or it has entered all that they have. */
TEST(a_rank_left_and_the_others_ended)
{
	for (unsigned int entered = 5; entered <= 6; entered++) {
		start_ranks(3, 3);
		for (unsigned int i = 0; i < 3; i++) {
			calls(i, "gloo:all_reduce", i == 1 ? entered : 6, 0);
			rests(stream_of(i), 1000, 10000, 2, EVT_PYTHON_LOCK);
		}
		ends(1, 10000, 0, EVT_END_EXIT);
		ends(2, 12000, 1, EVT_END_EXIT);
		ends(0, 13000, 1, EVT_END_EXIT);
		find();
		says(0, "Nothing is stuck: all processes have ended.");
		says(1, "Rank 2 was the first that did not end with status 0: it ended with status "
			"1, 1.00 s before the end of what was recorded.");
		if (entered == 5)
			says(2, "Rank 1 had ended with status 0 2.00 s earlier, after 5 "
				"collectives; rank 2 has entered 6.");
		assert_int_equal(stuck.sentence_count, entered == 5 ? 3 : 2);
		over();
	}
}

/* The others end because of it, a moment later. */
TEST(a_rank_was_killed_and_the_others_ended)
{
	start_ranks(3, 3);
	for (unsigned int i = 0; i < 3; i++) {
		calls(i, "gloo:all_reduce", i == 1 ? 5 : 6, 0);
		rests(stream_of(i), 1000, 2000, 2, EVT_PYTHON_LOCK);
	}
	ends(1, 2000, 137, EVT_END_KILLED);
	ends(2, 2600, 1, EVT_END_EXIT);
	ends(0, 3200, 1, EVT_END_EXIT);
	find();
	says(0, "Nothing is stuck: all processes have ended.");
	says(1, "Rank 1 was the first that did not end with status 0: it was killed by SIGKILL, "
		"1.20 s before the end of what was recorded.");
	assert_int_equal(stuck.sentence_count, 2);
	over();
}

TEST(a_file_is_missing)
{
	start_ranks(3, 4);
	for (unsigned int i = 0; i < 3; i++) {
		calls(i, "gloo:all_reduce", 5, 1000);
		rests(stream_of(i), 1000, END_MS, 2, EVT_PYTHON_LOCK);
	}
	find();
	assert_non_null(strstr(stuck.sentence[0], "What ranks 3 of 4 do is not known"));
	over();
}

/* All were killed at the same time because they hung: that is no end of theirs. */
TEST(killed_together)
{
	start_ranks(3, 3);
	for (unsigned int i = 0; i < 3; i++) {
		calls(i, "gloo:all_reduce", 5, i == 1 ? 0 : 1000);
		rests(stream_of(i), 1000, END_MS, i == 1 ? 3 : 2, EVT_PYTHON_LOCK);
		ends(i, END_MS, 137, EVT_END_KILLED);
	}
	find();
	assert_non_null(
		strstr(stuck.sentence[0], "Rank 1 has not entered gloo:all_reduce number 6"));
	over();
}

/* Steps of 20 s have come before: 10 s are nothing. */
TEST(long_steps_are_no_hang)
{
	start_ranks(0, 0);
	frame_begin_block(c.r.fw, 1);
	for (uint64_t i = 0; i < 3; i++)
		FRAME_PUT(c.r.fw, (10 + 20000 * i) * MS, step, .number = i,
			  .name = cuda_recording_name(&c, "step"));
	frame_end_block(c.r.fw);
	rests(1, 50000, END_MS, 2, EVT_PYTHON_LOCK);
	find();
	says(0, "Nothing is stuck: process 100 stood still for longest, for 10.0 s.");
	over();
}

/* What is known of the OOM killer; `kills`: plus one. */
static void ends_by(uint64_t status, uint64_t how, uint64_t kills, uint64_t machine)
{
	start_ranks(0, 0);
	rests(1, 1000, 20000, 2, EVT_PYTHON_SLEEP);
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 19000 * MS, process_usage, .process = 1, .memory_peak_bytes = 990u << 20,
		  .memory_limit_bytes = 1u << 30);
	FRAME_PUT(c.r.fw, 20000 * MS, process_end, .process = 1, .exit_status = (int64_t)status,
		  .how = how, .oom_kills = kills, .oom_within_ns = 800 * MS,
		  .oom_machine = machine);
	frame_end_block(c.r.fw);
	rests(3, 1000, END_MS, 3, EVT_PYTHON_SLEEP);
	ends(1, END_MS, 0, EVT_END_EXIT);
	ends(2, END_MS, 0, EVT_END_EXIT);
	find();
}

TEST(the_oom_killer_was_at_work)
{
	static const char memory[] =
		" The most resident memory seen of it is 990 MiB; its limit is 1.00 GiB.";
	char text[OOM_WORDS_BYTES];

	ends_by(137, EVT_END_KILLED, 2, 0);
	assert_non_null(strstr(stuck.sentence[1], "it was killed by SIGKILL"));
	assert_int_equal(stuck.sentence_count, 2);
	snprintf(text, sizeof(text), "%s%s",
		 "The kernel's OOM killer ended 1 process of its memory cgroup in the last 800 ms "
		 "of its life.",
		 memory);
	assert_non_null(strstr(stuck.sentence[1], text));
	over();
	/* its status is not known, as its parent was quicker; others of the machine count, too */
	ends_by((uint64_t)-1, EVT_END_UNKNOWN, 4, 1);
	snprintf(text, sizeof(text), "%s%s",
		 "The kernel's OOM killer ended 3 processes on its machine in the last 800 ms of "
		 "its life.",
		 memory);
	assert_non_null(strstr(stuck.sentence[1], text));
	over();
}

/* Three ranks go on waiting, or are killed by hand later: the first sentence has both. */
static void oom_of_a_rank(bool others_are_killed)
{
	start_ranks(3, 3);
	for (unsigned int i = 0; i < 3; i++) {
		calls(i, "gloo:all_reduce", 5, i == 1 ? 0 : 1000);
		rests(stream_of(i), 1000, i == 1 ? 10000 : END_MS, 2, EVT_PYTHON_LOCK);
	}
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 10000 * MS, process_end, .process = 2, .exit_status = 137,
		  .how = EVT_END_KILLED, .oom_kills = 2, .oom_within_ns = 800 * MS);
	frame_end_block(c.r.fw);
	for (unsigned int i = 0; others_are_killed && i < 3; i += 2)
		ends(i, END_MS, 137, EVT_END_KILLED);
	find();
	says(0, "Rank 1 was killed by SIGKILL, 50.0 s ago, and had not entered gloo:all_reduce "
		"number 6, in which ranks 0 and 2 have waited for 59.0 s. The kernel's OOM killer "
		"ended 1 process of its memory cgroup in the last 800 ms of its life.");
	over();
}

TEST(the_oom_killer_took_a_rank)
{
	oom_of_a_rank(false);
	oom_of_a_rank(true);
}

TEST(the_oom_killer_was_not_at_work)
{
	char text[OOM_WORDS_BYTES];

	ends_by(137, EVT_END_KILLED, 1, 0);
	assert_non_null(oom_words(stuck.process[0].process, text));
	assert_string_equal(text,
			    "The kernel's OOM killer ended no process of its memory cgroup in "
			    "the last 800 ms of its life. The most resident memory seen of it "
			    "is 990 MiB; its limit is 1.00 GiB.");
	over();
	/* of old recordings nothing is known; SIGSEGV and an end of its own are no such end */
	ends_by(137, EVT_END_KILLED, 0, 0);
	assert_null(oom_words(stuck.process[0].process, text));
	over();
	ends_by(139, EVT_END_KILLED, 2, 0);
	assert_null(oom_words(stuck.process[0].process, text));
	over();
	ends_by(1, EVT_END_EXIT, 2, 0);
	assert_null(oom_words(stuck.process[0].process, text));
	over();
}

static void lock(uint64_t stream, uint64_t place, uint64_t owner)
{
	frame_begin_block(c.r.fw, stream);
	sample(10 * MS, 1, EVT_PYTHON_RUNS, 0);
	for (uint64_t ms = 1000; ms <= END_MS; ms += 1000)
		FRAME_PUT(c.r.fw, ms * MS, python_sample, .place = place, .state = EVT_PYTHON_LOCK,
			  .looks = 1, .owner = owner, .owner_place = place == 2 ? 3 : 2);
	frame_end_block(c.r.fw);
}

TEST(two_threads_hold_each_other)
{
	start_ranks(0, 0);
	lock(1, 2, 200);
	lock(2, 3, 100);
	find();
	says(0,
	     "Process 100 has stood still for 60.0 s: thread 100 is at made.py:3 (main), waiting "
	     "for a lock that thread 200 holds, at made.py:11 (work).");
	says(1, "Process 100: 2 threads wait for locks of each other, so none of them goes on:");
	over();
}

/* Of a lock that is not Python's, as family osrt tells of it; the holder is at work. */
static void call_goes_on(uint64_t stream, const char *function, uint64_t kind, uint64_t owner,
			 bool ends)
{
	uint64_t name = cuda_recording_name(&c, function);

	frame_begin_block(c.r.fw, stream);
	FRAME_PUT(c.r.fw, 2100 * MS, osrt_waiting, .function = name, .kind = kind, .object = 4096,
		  .owner = owner, .duration_ns = 1100 * MS);
	if (ends)
		FRAME_PUT(c.r.fw, 2200 * MS, osrt_wait, .function = name, .kind = kind,
			  .object = 4096, .owner = owner, .duration = 1200 * MS);
	frame_end_block(c.r.fw);
}

TEST(waits_of_the_system)
{
	start_ranks(0, 0);
	rests(1, 1000, END_MS, 2, EVT_PYTHON_LOCK);
	rests(2, 1000, END_MS, 3, EVT_PYTHON_SLEEP);
	call_goes_on(1, "pthread_mutex_lock", WAIT_OBJECT_mutex, 200, false);
	find();
	says(0,
	     "Process 100 has stood still for 59.0 s: thread 100 is at made.py:3 (main), waiting "
	     "for a lock (in pthread_mutex_lock) that thread 200 holds, at made.py:11 (work).");
	over();
	start_ranks(0, 0);
	rests(1, 1000, END_MS, 2, EVT_PYTHON_LOCK);
	call_goes_on(1, "pthread_cond_wait", WAIT_OBJECT_condition, 0, false);
	find();
	says(0,
	     "Process 100 has stood still for 59.0 s: thread 100 is at made.py:3 (main), waiting "
	     "for a lock, a condition or another thread (in pthread_cond_wait).");
	over();
	/* it has returned since */
	start_ranks(0, 0);
	rests(1, 1000, END_MS, 2, EVT_PYTHON_LOCK);
	call_goes_on(1, "pthread_mutex_lock", WAIT_OBJECT_mutex, 200, true);
	find();
	says(0,
	     "Process 100 has stood still for 59.0 s: thread 100 is at made.py:3 (main), waiting "
	     "for a lock, a condition or another thread.");
	over();
}

TEST(two_mutexes_of_each_other)
{
	start_ranks(0, 0);
	rests(1, 1000, END_MS, 2, EVT_PYTHON_LOCK);
	rests(2, 1000, END_MS, 3, EVT_PYTHON_LOCK);
	call_goes_on(1, "pthread_mutex_lock", WAIT_OBJECT_mutex, 200, false);
	call_goes_on(2, "pthread_mutex_lock", WAIT_OBJECT_mutex, 100, false);
	find();
	says(1, "Process 100: 2 threads wait for locks of each other, so none of them goes on:");
	over();
}

TEST(one_that_runs_is_not_stuck)
{
	start_ranks(0, 0);
	frame_begin_block(c.r.fw, 1);
	for (uint64_t ms = 1000; ms <= END_MS; ms += 1000)
		sample(ms * MS, 2, EVT_PYTHON_RUNS, 900000);
	frame_end_block(c.r.fw);
	find();
	assert_non_null(strstr(stuck.sentence[0], "Nothing is stuck"));
	over();
}

/* It waits for its child, which is at a line of the user's, and for another that was killed. */
TEST(what_it_waits_for_is_in_a_child)
{
	start_ranks(0, 0);
	rests(1, 1000, END_MS, 2, EVT_PYTHON_IO);
	rests(3, 1000, END_MS, 3, EVT_PYTHON_SLEEP);
	find();
	says(1, "Its child, process 101, has been at made.py:11 (work), sleeping, for "
		"59.0 s.");
	over();
	start_ranks(0, 0);
	rests(1, 1000, END_MS, 2, EVT_PYTHON_IO);
	rests(3, 1000, 20000, 3, EVT_PYTHON_SLEEP);
	ends(1, 20000, 137, EVT_END_KILLED);
	find();
	says(1, "Its child, process 101, was killed by SIGKILL 40.0 s before its parent was "
		"seen last.");
	over();
}

/* A thread of a library; beside it one of the user's, and processes' loops. */
TEST(threads_of_libraries_that_wait)
{
	struct idle_threads idle = { 0 };

	start_ranks(0, 0);
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 1, python_code, .id = 3, .function = cuda_recording_name(&c, "wait"),
		  .file = cuda_recording_name(&c, "/usr/lib/python3.11/threading.py"), .line = 300);
	define_place(5, 0, 3, 320);
	frame_end_block(c.r.fw);
	rests(1, 1000, END_MS, 5, EVT_PYTHON_LOCK);
	rests(2, 1000, END_MS, 5, EVT_PYTHON_LOCK);
	rests(4, 1000, END_MS, 3, EVT_PYTHON_LOCK);
	rests(5, 1000, END_MS, 5, EVT_PYTHON_RUNS);
	find();
	for (size_t i = 0; i < stuck.looks->look_count; i++)
		if (stuck.looks->look[i].thread && idle_threads_have(&stuck, &stuck.looks->look[i]))
			idle_threads_count(&idle, &stuck.looks->look[i]);
	assert_int_equal(idle.threads, 1);
	assert_string_equal(idle.name[0].name, "without a name");
	for (unsigned int i = 0; i < 2 * IDLE_NAMES_MAX; i++)
		idle_threads_count(&idle, &stuck.looks->look[1]);
	assert_int_equal(idle.name[0].threads, 1 + 2 * IDLE_NAMES_MAX);
	over();
}

TEST(without_samples_nothing_is_known)
{
	start_ranks(0, 0);
	find();
	says(0, "It is not known whether anything is stuck: no thread of Python was sampled.");
	over();
}
