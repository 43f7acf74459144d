/* SPDX-License-Identifier: MIT */
/*
 * usage: heap THREADS PAIRS
 * Each thread makes PAIRS calls of malloc and as many of free: sizes of 16 to 1039 bytes at random,
 * 256 blocks alive, from call depths of 1 to 8. Prints what the loop cost, without start and end of
 * the program.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SLOTS 256u
#define THREADS_MAX 64

static pthread_barrier_t barrier;
static uint64_t pairs;

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static __attribute__((noinline)) void *allocate(unsigned int depth, size_t size)
{
	void *block = depth ? allocate(depth - 1, size) : malloc(size);

	__asm__ volatile("" : "+r"(block)); /* keeps the call from becoming a jump */
	return block;
}

static void *work(void *argument)
{
	void *slot[SLOTS] = { NULL };
	uint64_t random = (uintptr_t)argument * 0x9e3779b97f4a7c15u;

	pthread_barrier_wait(&barrier);
	for (uint64_t i = 0; i < pairs; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		free(slot[random % SLOTS]);
		slot[random % SLOTS] = allocate(random >> 16 & 7, 16 + (random >> 24 & 1023));
	}
	for (unsigned int i = 0; i < SLOTS; i++)
		free(slot[i]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS_MAX];
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	uint64_t wall, cpu;

	pairs = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
	if (threads < 1 || threads > THREADS_MAX)
		return 2;
	pthread_barrier_init(&barrier, NULL, (unsigned int)threads + 1);
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, work, (void *)(uintptr_t)(i + 1));
	wall = now_ns(CLOCK_MONOTONIC);
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	wall = now_ns(CLOCK_MONOTONIC) - wall;
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	printf("result {\"events\": %llu, \"wall_ns\": %llu, \"cpu_ns\": %llu}\n",
	       (unsigned long long)(2 * pairs * (unsigned int)threads), (unsigned long long)wall,
	       (unsigned long long)cpu);
	return 0;
}
