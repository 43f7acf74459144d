/* SPDX-License-Identifier: MIT */
/* links: collector format */
/* build: -pthread */
/*
 * collector/drain/silent_threads.c, over threads of this process: when they began is known after
 * they have ended, until a look finds them gone; and what the scheduler counted for them.
 */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "collector/drain/silent_threads.h"

#define THREADS 20u /* more than one look examines */

static struct silent_threads silent;
static struct common common;
static struct process process;
static sem_t begun, may_end;
static uint32_t tids[THREADS];

static void *sleeper(void *slot)
{
	*(uint32_t *)slot = (uint32_t)gettid();
	sem_post(&begun);
	sem_wait(&may_end);
	return slot;
}

static unsigned int known(void)
{
	uint64_t born_ns, tick_ns, now_ns = clockmap_ns(&common.clock, clockmap_now(&common.clock));
	unsigned int count = 0;

	for (unsigned int i = 0; i < THREADS; i++) {
		if (!silent_threads_born(&silent, process.pid, tids[i], &born_ns, &tick_ns))
			continue;
		assert_true(born_ns <= now_ns);
		assert_true(tick_ns > 0);
		count++;
	}
	return count;
}

/* Threads of this process beside the main one. */
static unsigned int others(void)
{
	DIR *folder = opendir("/proc/self/task");
	unsigned int count = 0;

	assert_non_null(folder);
	for (const struct dirent *entry; (entry = readdir(folder));)
		count += entry->d_name[0] != '.' && strtol(entry->d_name, NULL, 10) != getpid();
	closedir(folder);
	return count;
}

TEST(a_thread_is_known_until_a_look_finds_it_gone)
{
	struct clockmap_sync base = { 0, 0, 0 };
	pthread_t thread[THREADS];

	clockmap_init(&common.clock, REGION_CLOCK_MONOTONIC, &base, &base, 0);
	process.pid = (uint32_t)getpid();
	sem_init(&begun, 0, 0);
	sem_init(&may_end, 0, 0);
	for (unsigned int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, sleeper, &tids[i]), 0);
	for (unsigned int i = 0; i < THREADS; i++)
		sem_wait(&begun);
	assert_int_equal(known(), 0);
	silent_threads_look(&silent, &common, &process, false);
	assert_in_range(known(), 1, THREADS - 1); /* the rest at the next look */
	silent_threads_look(&silent, &common, &process, false);
	assert_int_equal(known(), THREADS);
	for (unsigned int i = 0; i < THREADS; i++)
		sem_post(&may_end);
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(known(), THREADS);
	silent_threads_forget(&silent, process.pid + 1);
	assert_int_equal(known(), THREADS);
	do /* the kernel may take a moment longer than pthread_join() */
		silent_threads_look(&silent, &common, &process, true);
	while (known());
	assert_int_equal(silent.count, others()); /* a sanitiser's, an emulator's */
}

/* A visit sees a few threads. The numbers stay when those have ended, and are told once. */
TEST(what_was_counted_is_known_after_the_end)
{
	struct thread_sched seen[2];
	pthread_t thread[THREADS];

	if (access("/proc/self/schedstat", R_OK))
		skip();
	for (unsigned int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, sleeper, &tids[i]), 0);
	for (unsigned int i = 0; i < THREADS; i++)
		sem_wait(&begun);
	silent_threads_look(&silent, &common, &process, true);
	silent_threads_look(&silent, &common, &process, true);
	assert_int_equal(known(), THREADS);
	/* not yet */
	assert_false(silent_threads_take_sched(&silent, process.pid, tids[0], seen));
	for (unsigned int i = 0; i < THREADS; i++)
		silent_threads_visit(&silent);
	for (unsigned int i = 0; i < THREADS; i++)
		sem_post(&may_end);
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (unsigned int i = 0; i < THREADS; i++)
		silent_threads_visit(&silent);
	for (unsigned int i = 1; i < THREADS; i++) {
		assert_true(silent_threads_take_sched(&silent, process.pid, tids[i], seen));
		assert_true(seen[0].cpu_ns && thread_sched_is_later(&seen[1], &seen[0]));
		assert_true(seen[1].looks > seen[0].looks);
		assert_false(silent_threads_take_sched(&silent, process.pid, tids[i], seen));
	}
	assert_false(silent_threads_take_sched(&silent, process.pid + 1, tids[1], seen));
	silent_threads_forget(&silent, process.pid);
	assert_int_equal(silent.count, 0);
}

TEST(a_process_that_is_gone_has_no_threads)
{
	struct process gone = { .pid = 0x7fffffff };

	silent_threads_look(&silent, &common, &gone, true);
	assert_int_equal(silent.count, 0);
}
