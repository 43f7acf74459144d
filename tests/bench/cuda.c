/* SPDX-License-Identifier: MIT */
/*
 * usage: cuda WHAT COUNT THREADS [BURST]
 * Each thread makes COUNT calls of CUDA, over cudart_stub.c, without a pause, or BURST at a time
 * with a pause between, as programs do whose ring is never full:
 *   launch    cudaLaunchKernel, the same each time
 *   step      the same STEP_LAUNCHES launches in turn, as the steps of a training are
 *   distinct  launches with a kernel of KERNELS, a grid, a block and a stream at random
 *   copy      cudaMemcpyAsync
 *   plain     cudaEventRecord, of which only the call itself is recorded
 *   memory    cudaMalloc and cudaFree in turn, LIVE blocks at once
 * Prints what the calls cost, without start and end of the program and without the pauses.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/bench/cudart.h"

#define KERNELS 4096u
#define NAME_BYTES 112
#define STEP_LAUNCHES 300u
#define STREAMS 4u
#define LIVE 64u /* power of two */
#define THREADS_MAX 64
#define PAUSE_NS 1000000

static char kernel[KERNELS]; /* the addresses are the handles */
static char name[KERNELS][NAME_BYTES];
static pthread_barrier_t barrier;
static uint64_t count, burst;

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t mix(uint64_t x)
{
	x ^= x << 13;
	x ^= x >> 7;
	return x ^ x << 17;
}

/* As the constructors do that nvcc makes. */
static void kernels_register(void)
{
	void **handle = __cudaRegisterFatBinary(kernel);

	for (unsigned int i = 0; i < KERNELS; i++) {
		snprintf(name[i], NAME_BYTES,
			 "_ZN2at6native29vectorized_elementwise_kernelILi%uENS0_11FillFunctorIfEE"
			 "St5arrayIPcLm1EEEEviT0_T1_",
			 i);
		__cudaRegisterFunction(handle, &kernel[i], name[i], name[i], -1, NULL, NULL, NULL,
				       NULL, NULL);
	}
	__cudaRegisterFatBinaryEnd(handle);
}

/* One launch, all of it by the bits of `seed`. */
static void launch_any(uint64_t seed)
{
	dim3 grid = { 1 + (seed >> 12 & 4095), 1 + (seed >> 24 & 15), 1 };
	dim3 block = { 32u << (seed >> 28 & 3), 1 + (seed >> 30 & 1), 1 };
	uintptr_t stream = 0x5000 + (seed >> 32) % STREAMS * 64;

	cudaLaunchKernel(&kernel[seed % KERNELS], grid, block, NULL, 0, (cudaStream_t)stream);
}

static void do_launch(uint64_t seed, uint64_t calls)
{
	static const dim3 grid = { 160, 1, 1 }, block = { 256, 1, 1 };

	(void)seed;
	for (uint64_t i = 0; i < calls; i++)
		cudaLaunchKernel(kernel, grid, block, NULL, 0, NULL);
}

static void do_step(uint64_t seed, uint64_t calls)
{
	uint64_t seeds[STEP_LAUNCHES];

	(void)seed;
	for (unsigned int i = 0; i < STEP_LAUNCHES; i++)
		seeds[i] = mix(i ? seeds[i - 1] : 1);
	for (uint64_t i = 0; i < calls; i++)
		launch_any(seeds[i % STEP_LAUNCHES]);
}

static void do_distinct(uint64_t seed, uint64_t calls)
{
	for (uint64_t i = 0; i < calls; i++) {
		seed = mix(seed);
		launch_any(seed);
	}
}

static void do_copy(uint64_t seed, uint64_t calls)
{
	static char host[64];

	(void)seed;
	for (uint64_t i = 0; i < calls; i++)
		cudaMemcpyAsync((void *)(uintptr_t)0x700000000000u, host, sizeof(host),
				(enum cudaMemcpyKind)1, NULL);
}

static void do_plain(uint64_t seed, uint64_t calls)
{
	cudaEvent_t event = (cudaEvent_t)(uintptr_t)(0x6000 + seed % 64 * 64);

	for (uint64_t i = 0; i < calls; i++)
		cudaEventRecord(event, NULL);
}

static void do_memory(uint64_t seed, uint64_t calls)
{
	static __thread void *block[LIVE];

	(void)seed;
	for (uint64_t i = 0; i < calls / 2; i++) {
		void **slot = &block[i % LIVE];

		cudaFree(*slot);
		cudaMalloc(slot, 256 + (i & 4095) * 16);
	}
}

static const struct subject {
	const char *word;
	void (*run)(uint64_t seed, uint64_t calls);
} subjects[] = {
	{ "launch", do_launch }, { "step", do_step },   { "distinct", do_distinct },
	{ "copy", do_copy },     { "plain", do_plain }, { "memory", do_memory },
};

static const struct subject *subject;

static _Atomic uint64_t cpu_ns, wall_ns; /* of all threads */

static void *work(void *argument)
{
	static const struct timespec pause = { .tv_nsec = PAUSE_NS };
	uint64_t seed = (uintptr_t)argument * 0x9e3779b97f4a7c15u;

	pthread_barrier_wait(&barrier);
	for (uint64_t done = 0; done < count; done += burst) {
		uint64_t wall = now_ns(CLOCK_MONOTONIC);
		uint64_t cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);

		subject->run(seed, burst);
		cpu_ns += now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
		wall_ns += now_ns(CLOCK_MONOTONIC) - wall;
		seed = mix(seed);
		if (burst < count)
			nanosleep(&pause, NULL);
	}
	return NULL;
}

static void measure(int threads)
{
	pthread_t thread[THREADS_MAX];

	pthread_barrier_init(&barrier, NULL, (unsigned int)threads);
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, work, (void *)(uintptr_t)(i + 1));
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	printf("result {\"calls\": %llu, \"wall_ns\": %llu, \"cpu_ns\": %llu}\n",
	       (unsigned long long)count * (unsigned int)threads, (unsigned long long)wall_ns,
	       (unsigned long long)cpu_ns);
}

int main(int argc, char **argv)
{
	int threads = argc > 3 ? atoi(argv[3]) : 1;

	count = argc > 2 ? strtoull(argv[2], NULL, 10) & ~1ull : 1000000;
	burst = argc > 4 ? strtoull(argv[4], NULL, 10) & ~1ull : count;
	for (size_t i = 0; argc > 1 && i < sizeof(subjects) / sizeof(subjects[0]); i++)
		if (strcmp(argv[1], subjects[i].word) == 0)
			subject = &subjects[i];
	if (!subject || !burst || count % burst || threads < 1 || threads > THREADS_MAX)
		return 2;
	kernels_register();
	measure(threads);
	return 0;
}
