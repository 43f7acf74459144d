/* SPDX-License-Identifier: MIT */
/* races: silent_threads */
/* build: -pthread */
/*
 * Three threads use 0.3, 0.02 and 0.5 s of CPU and do nothing that is recorded; the main thread
 * allocates twice and waits.
 *
 * silent_threads late FILE: a thread makes its only record just before it ends. Until then it waits
 * until FILE, into which the main thread is recorded meanwhile, has grown three times.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A record that the compiler cannot leave out. */
static void record(void)
{
	void *volatile block = malloc(10);

	free(block);
}

static void *spin(void *argument)
{
	const double *seconds = argument;
	struct timespec used;
	volatile unsigned long sum = 0;

	do {
		for (unsigned int i = 0; i < 100000; i++)
			sum += i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	} while ((double)used.tv_sec + (double)used.tv_nsec * 1e-9 < *seconds);
	return NULL;
}

static long size_of(const char *file)
{
	struct stat status;

	return stat(file, &status) ? 0 : (long)status.st_size;
}

static int late_has_ended;

static void *late(void *file)
{
	long size = size_of(file);

	printf("%ld\n", syscall(SYS_gettid));
	for (int grown = 0; grown < 3;) {
		volatile unsigned long sum = 0;

		for (unsigned int i = 0; i < 1000000; i++)
			sum += i;
		usleep(20000);
		grown += size_of(file) != size;
		size = size_of(file);
	}
	record();
	__atomic_store_n(&late_has_ended, 1, __ATOMIC_RELEASE);
	return NULL;
}

static int late_record(char *file)
{
	pthread_t thread;

	/* what printf() allocates is not the thread's */
	setvbuf(stdout, NULL, _IONBF, 0);
	record();
	if (pthread_create(&thread, NULL, late, file))
		return 1;
	while (!__atomic_load_n(&late_has_ended, __ATOMIC_ACQUIRE)) {
		record();
		usleep(10000);
	}
	return pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "late"))
		return late_record(argv[2]);
	static double seconds[] = { 0.3, 0.02, 0.5 };
	pthread_t thread[3];

	record();
	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread[i], NULL, spin, &seconds[i]))
			return 1;
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	record();
	return 0;
}
