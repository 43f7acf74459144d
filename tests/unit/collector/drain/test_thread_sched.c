/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/drain/thread_sched.c: a sleep that the kernel counts as a wait for a CPU is left out,
 * and a wait is not.
 */
#include "tests/unit/unit.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/drain/thread_sched.h"

#define MS 1000000ull
#define S (1000 * MS)
#define SLACK MS

TEST(a_sleep_is_no_wait_for_a_cpu)
{
	struct thread_sched sched = { .runnable_ns = 30 * MS, .looks = 1 };

	/* last seen asleep 100 ms before; the kernel counts 24 s */
	sched.asleep_ns = 123 * S + 900 * MS;
	thread_sched_take(&sched, 5 * MS, 24 * S + 37 * MS, 124 * S);
	assert_int_equal(sched.runnable_ns, 130 * MS + SLACK);
	assert_int_equal(sched.cpu_ns, 5 * MS);
	/* from there on, what it waits counts again */
	thread_sched_take(&sched, 6 * MS, 24 * S + 57 * MS, 124 * S + 30 * MS);
	assert_int_equal(sched.runnable_ns, 150 * MS + SLACK);
}

TEST(a_wait_counts_whole)
{
	struct thread_sched sched = { .runnable_ns = 30 * MS, .looks = 1 };

	/* never seen asleep */
	thread_sched_take(&sched, 5 * MS, 20 * S, 124 * S);
	assert_int_equal(sched.runnable_ns, 20 * S);
	/* it may have waited all of the time since it was asleep */
	sched.asleep_ns = 124 * S;
	thread_sched_take(&sched, 5 * MS, 23 * S, 127 * S);
	assert_int_equal(sched.runnable_ns, 23 * S);
}

/* Another thread with the same id: its figures are smaller than those of the one before. */
TEST(a_thread_with_a_used_id_is_not_later)
{
	struct thread_sched before = { .cpu_ns = 5 * MS, .runnable_ns = 30 * MS, .over_ns = S },
			    now = before;

	thread_sched_take(&now, 6 * MS, 40 * MS, 124 * S);
	assert_int_equal(now.runnable_ns, 0);
	assert_false(thread_sched_is_later(&now, &before));
}

static _Atomic uint32_t waiting_tid;
static sem_t is_done;

static void *wait_for_it(void *unused)
{
	waiting_tid = (uint32_t)syscall(SYS_gettid);
	while (sem_wait(&is_done))
		continue;
	return unused;
}

TEST(a_thread_that_sleeps_is_seen)
{
	struct thread_sched sleeper = { 0 }, self = { 0 };
	const struct timespec nap = { .tv_nsec = 5 * MS };
	pthread_t thread;

	sem_init(&is_done, 0, 0);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_it, NULL), 0);
	while (!sleeper.asleep_ns) { /* until it has come to its wait, however busy the machine */
		nanosleep(&nap, NULL);
		if (waiting_tid)
			assert_true(thread_sched_read((uint32_t)getpid(), waiting_tid, &sleeper));
		sleeper.looks++;
		/* who reads its own figures is on a CPU */
		assert_true(thread_sched_read((uint32_t)getpid(), (uint32_t)getpid(), &self));
		self.looks++;
	}
	assert_int_equal(self.asleep_ns, 0);
	sem_post(&is_done);
	pthread_join(thread, NULL);
	sem_destroy(&is_done);
}
