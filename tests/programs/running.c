/* SPDX-License-Identifier: MIT */
/* races: running many 20 */
/* build: -pthread */
/*
 * Threads that run, sleep and wait for a lock; each tells what the kernel says that it used, in
 * nanoseconds.
 *
 * usage: running three | many THREADS | fork | steps
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000u
#define RUN_NS (300u * MS)
#define SHORT_NS (2u * MS)
#define STEPS 5

/* libintercept.so has them; without it nothing is pushed. */
__attribute__((weak)) int nvtxRangePushA(const char *message);
__attribute__((weak)) int nvtxRangePop(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void spin(uint64_t ns)
{
	uint64_t from = cpu_ns();

	while (cpu_ns() - from < ns)
		;
}

static void sleep_ns(uint64_t ns)
{
	struct timespec t = { .tv_nsec = (long)ns };

	while (nanosleep(&t, &t))
		;
}

static void tell(const char *name)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	printf("%s %lld\n", name,
	       (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000ll +
		       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000ll);
}

static void touch(void)
{
	void *volatile block = malloc(100); /* its own: threads begin at once */

	free(block);
}

static void begins(const char *name)
{
	prctl(PR_SET_NAME, name);
	touch();
	if (nvtxRangePushA)
		nvtxRangePushA(name);
}

static void ends(const char *name)
{
	if (nvtxRangePop)
		nvtxRangePop();
	touch();
	tell(name);
}

static void *spins(void *argument)
{
	begins("spins");
	spin(RUN_NS);
	ends("spins");
	return argument;
}

static void *sleeps(void *argument)
{
	begins("sleeps");
	sleep_ns(RUN_NS);
	ends("sleeps");
	return argument;
}

static void *waits(void *argument)
{
	begins("waits");
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	ends("waits");
	return argument;
}

static void *is_one_of_many(void *argument)
{
	touch();
	spin(SHORT_NS);
	return argument;
}

static void three(void)
{
	void *(*const work[])(void *) = { spins, sleeps, waits };
	pthread_t thread[3];

	pthread_mutex_lock(&lock);
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, work[i], NULL);
	sleep_ns(RUN_NS);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
}

static void many(int count)
{
	pthread_t *thread = calloc((size_t)count, sizeof(*thread));

	for (int i = 0; i < count; i++)
		if (pthread_create(&thread[i], NULL, is_one_of_many, NULL))
			exit(3);
	for (int i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
	free(thread);
}

static void in_a_child(void)
{
	pid_t child;

	touch();
	spin(RUN_NS);
	child = fork();
	if (child == 0) {
		begins("child");
		spin(RUN_NS / 3);
		ends("child");
		exit(0);
	}
	waitpid(child, NULL, 0);
}

static void steps(void)
{
	uint64_t longest = 0;

	for (int i = 0; i < STEPS; i++) {
		uint64_t from = cpu_ns(), used;

		nvtxRangePushA("step");
		spin(20 * MS);
		sleep_ns(30 * MS);
		nvtxRangePop();
		used = cpu_ns() - from;
		longest = used > longest ? used : longest;
	}
	printf("step %llu\n", (unsigned long long)longest);
}

int main(int argc, char **argv)
{
	static char line[256];
	const char *what = argc > 1 ? argv[1] : "";

	setvbuf(stdout, line, _IOLBF, sizeof(line)); /* no allocation of the C library's own */
	if (!strcmp(what, "three"))
		three();
	else if (!strcmp(what, "many") && argc > 2)
		many(atoi(argv[2]));
	else if (!strcmp(what, "fork"))
		in_a_child();
	else if (!strcmp(what, "steps") && nvtxRangePushA)
		steps();
	else
		return 2;
	return 0;
}
