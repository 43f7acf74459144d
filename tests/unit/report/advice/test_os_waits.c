/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/advice/os_waits.c: which lock costs most, and what the main thread waits for. */
#include "report/advice/os_waits.h"
#include "report/base/text.h"
#include "tests/unit/run_fixture.h"

#define MS 1000000ull

enum { MAIN = 1, BESIDE, OF_CHILD }; /* streams: two threads of a process, one of another */

static const struct os_waits *waits;
static uint64_t now;

static void begin(void)
{
	now = 10 * MS;
	cuda_recording_start(&c, 2);
}

static void wait_put(unsigned int stream, const char *function, enum wait_object_kind kind,
		     uint64_t object, uint64_t took_ns)
{
	now += took_ns;
	frame_begin_block(c.r.fw, stream);
	FRAME_PUT(c.r.fw, now, osrt_wait, .function = cuda_recording_name(&c, function),
		  .kind = kind, .object = object, .duration = took_ns);
	frame_end_block(c.r.fw);
}

static void read_all(void)
{
	cuda_recording_finish(&c, now + MS);
	source = recording_source(&c.r);
	run = run_new(source, &recording_whole);
	waits = os_waits_want(run, NULL);
	run_read(run, false);
}

/* A thread may wait for one lock in several functions: it is one thread all the same. */
TEST(the_lock_with_most_time_over_all_threads)
{
	struct os_waits_lock lock;

	begin();
	wait_put(MAIN, "pthread_rwlock_rdlock", WAIT_OBJECT_rwlock, 0x20, 30 * MS);
	wait_put(MAIN, "pthread_rwlock_wrlock", WAIT_OBJECT_rwlock, 0x20, 10 * MS);
	wait_put(BESIDE, "pthread_rwlock_rdlock", WAIT_OBJECT_rwlock, 0x20, 20 * MS);
	wait_put(MAIN, "pthread_mutex_lock", WAIT_OBJECT_mutex, 0x10, 50 * MS);
	read_all();
	assert_true(os_waits_find_lock(waits, &lock));
	assert_string_equal(lock.word, "rwlock");
	assert_int_equal(lock.ns, 60 * MS);
	assert_int_equal(lock.calls, 3);
	assert_int_equal(lock.threads, 2);
	recording_close();
}

TEST(locks_at_one_address_are_two_in_two_processes)
{
	struct os_waits_lock lock;

	begin();
	wait_put(MAIN, "pthread_mutex_lock", WAIT_OBJECT_mutex, 0x10, 20 * MS);
	wait_put(OF_CHILD, "pthread_mutex_lock", WAIT_OBJECT_mutex, 0x10, 25 * MS);
	wait_put(MAIN, "nanosleep", WAIT_OBJECT_none, 0, 90 * MS);
	read_all();
	assert_true(os_waits_find_lock(waits, &lock));
	assert_int_equal(lock.ns, 25 * MS);
	assert_int_equal(lock.threads, 1);
	recording_close();
	begin();
	wait_put(MAIN, "nanosleep", WAIT_OBJECT_none, 0, 90 * MS);
	read_all();
	assert_false(os_waits_find_lock(waits, &lock));
	recording_close();
}

static void expect_main(const char *function, uint64_t ns)
{
	const struct group *most = os_waits_main(waits);
	size_t length;
	const char *name;

	assert_non_null(most);
	name = name_text(source_name_at(source, (uint32_t)most->key[OS_WAITS_FUNCTION]), &length);
	assert_true(text_is(name, length, function));
	assert_int_equal(most->time.total_ns, ns);
}

/* Waits for what comes next, for other threads and for locks are no cause by themselves. */
TEST(the_main_threads_longest_wait_that_is_a_cause)
{
	begin();
	wait_put(MAIN, "nanosleep", WAIT_OBJECT_none, 0, 10 * MS);
	wait_put(MAIN, "nanosleep", WAIT_OBJECT_none, 0, 15 * MS);
	wait_put(MAIN, "read", WAIT_OBJECT_pipe, 3, 20 * MS);
	wait_put(BESIDE, "sem_wait", WAIT_OBJECT_semaphore, 0x30, 60 * MS);
	wait_put(MAIN, "poll", WAIT_OBJECT_none, 0, 70 * MS);
	wait_put(MAIN, "accept", WAIT_OBJECT_socket, 4, 70 * MS);
	wait_put(MAIN, "pthread_join", WAIT_OBJECT_thread, 0x40, 70 * MS);
	wait_put(MAIN, "pthread_cond_wait", WAIT_OBJECT_condition, 0x50, 70 * MS);
	wait_put(MAIN, "pthread_mutex_lock", WAIT_OBJECT_mutex, 0x10, 70 * MS);
	read_all();
	expect_main("nanosleep", 25 * MS);
	recording_close();
	begin();
	wait_put(BESIDE, "nanosleep", WAIT_OBJECT_none, 0, 60 * MS);
	wait_put(MAIN, "epoll_wait", WAIT_OBJECT_descriptor, 4, 60 * MS);
	read_all();
	assert_null(os_waits_main(waits));
	recording_close();
}

/* A wait that had not ended when its process did counts up to there; what goes on, does not yet. */
TEST(waits_without_an_end)
{
	begin();
	now += 40 * MS;
	frame_begin_block(c.r.fw, MAIN);
	FRAME_PUT(c.r.fw, now - 20 * MS, osrt_waiting, .function = cuda_recording_name(&c, "wait4"),
		  .kind = WAIT_OBJECT_child, .object = 7, .duration_ns = 20 * MS);
	FRAME_PUT(c.r.fw, now, osrt_unfinished, .function = cuda_recording_name(&c, "wait4"),
		  .kind = WAIT_OBJECT_child, .object = 7, .duration_ns = 40 * MS);
	FRAME_PUT(c.r.fw, now, osrt_short, .function = cuda_recording_name(&c, "nanosleep"),
		  .calls = 9, .total_ns = 90 * MS);
	frame_end_block(c.r.fw);
	read_all();
	expect_main("wait4", 40 * MS);
	recording_close();
}
