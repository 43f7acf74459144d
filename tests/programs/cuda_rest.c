/* SPDX-License-Identifier: MIT */
/* races: cuda_rest 3000 3 20 3 */
/*
 * Launches outside of capture ranges, so many that CUPTI rests, and ranges in between, over the
 * fake CUDA. cudaProfilerStart() and cudaProfilerStop() are the ranges; kernels of a range have a
 * name of their own.
 *
 * usage: cuda_rest OUTSIDE RANGES INSIDE [THREADS [SECONDS]]
 *   before each range, and after the last, OUTSIDE launches; a range of INSIDE launches ends with
 *   all of them on their way; THREADS others launch all the time. In the middle of each stretch
 *   outside memory is given out, and given back in the range. SECONDS: behind each stretch a pause,
 *   and then 500 launches more
 */
/* build: -pthread -L$O/fake -l:libcudart.so.13 -ldl -Wl,-rpath,'$ORIGIN/../fake' */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cuda_client.h"

static char kernel_inside, kernel_outside, kernel_beside;
static _Atomic int is_over;

static void launch(const void *kernel, unsigned int blocks)
{
	OK(cudaLaunchKernel(kernel, (dim3){ blocks, 1, 1 }, (dim3){ 64, 1, 1 }, NULL, 0, NULL));
}

/* The argument: where there are pauses, a launch now and then is enough. */
static void *launch_beside(void *seconds)
{
	while (!atomic_load(&is_over)) {
		launch(&kernel_beside, 1);
		if (*(long *)seconds)
			usleep(300);
	}
	return NULL;
}

#define AFTER_PAUSE 500

static void *outside(long count, long seconds)
{
	void *device;

	for (long i = 0; i < count / 2; i++)
		launch(&kernel_outside, 1);
	OK(cudaMalloc(&device, 4096));
	for (long i = count / 2; i < count; i++)
		launch(&kernel_outside, 1);
	if (seconds)
		sleep((unsigned int)seconds);
	for (long i = 0; seconds && i < AFTER_PAUSE; i++)
		launch(&kernel_outside, 1);
	return device;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? strtol(argv[1], NULL, 10) : 3000;
	long ranges = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
	long inside = argc > 3 ? strtol(argv[3], NULL, 10) : 10;
	long threads = argc > 4 ? strtol(argv[4], NULL, 10) : 0;
	long seconds = argc > 5 ? strtol(argv[5], NULL, 10) : 0;
	pthread_t thread[16];

	client_kernel(&kernel_inside, "_Z6insidePf");
	client_kernel(&kernel_outside, "_Z7outsidePf");
	client_kernel(&kernel_beside, "_Z6besidePf");
	for (long i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, launch_beside, &seconds);
	for (long r = 0; r < ranges; r++) {
		void *device = outside(count, seconds);

		OK(cudaProfilerStart());
		for (long i = 0; i < inside; i++)
			launch(&kernel_inside, 1000);
		OK(cudaFree(device));
		OK(cudaProfilerStop());
	}
	OK(cudaFree(outside(count, seconds)));
	atomic_store(&is_over, 1);
	for (long i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	OK(cudaDeviceSynchronize());
	return 0;
}
