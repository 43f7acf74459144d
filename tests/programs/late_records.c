/* SPDX-License-Identifier: MIT */
/* races: late_records */
/* build: -pthread */
/*
 * Threads that use the CPU before they do anything that is recorded: each sleeps, uses so much CPU
 * time, allocates one block and says what its own clock has. The third runs in a forked child. Of
 * the fourth that block is the last that it does: it is gone when the record is read.
 * Prints "NAME CPU_NS WALL_NS" a line.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void *work(void *argument)
{
	const char *name = argument;
	struct timespec pause = { strcmp(name, "last") == 0, 200000000 };
	long long start_ns = now_ns(CLOCK_MONOTONIC);
	void *volatile block;
	char line[128];
	int length;

	nanosleep(&pause, NULL);
	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < 200000000)
		;
	pthread_setname_np(pthread_self(), name);
	length = snprintf(line, sizeof(line), "%s %lld %lld\n", name,
			  now_ns(CLOCK_THREAD_CPUTIME_ID), now_ns(CLOCK_MONOTONIC) - start_ns);
	if (length != write(STDOUT_FILENO, line, (size_t)length))
		return NULL;
	block = malloc(1000);
	free(block);
	return argument;
}

static void run(const char *name)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, (void *)name) || pthread_join(thread, NULL))
		exit(1);
}

int main(void)
{
	pid_t child;

	run("one");
	run("two");
	run("last");
	child = fork();
	if (child == 0) {
		run("child");
		return 0;
	}
	return child < 0 || waitpid(child, NULL, 0) != child;
}
