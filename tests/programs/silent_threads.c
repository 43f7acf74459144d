/* SPDX-License-Identifier: MIT */
/* races: silent_threads */
/* build: -pthread */
/*
 * Three threads use 0.3, 0.02 and 0.5 s of CPU and do nothing that is recorded; the main thread
 * allocates twice and waits.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

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

int main(void)
{
	static double seconds[] = { 0.3, 0.02, 0.5 };
	pthread_t thread[3];

	free(malloc(10));
	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread[i], NULL, spin, &seconds[i]))
			return 1;
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	free(malloc(10));
	return 0;
}
