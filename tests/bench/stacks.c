/* SPDX-License-Identifier: MIT */
/*
 * usage: stacks same|leaf|root DEPTH PAIRS [THREADS [unwind]]
 * PAIRS calls of malloc and free from DEPTH frames below main(). same: from one place. leaf: from
 * two functions in turn, so that two frames change. root: the outermost of the frames changes each
 * time, and all the way is gone anew. Each of the THREADS does all that. unwind: libunwind's
 * unw_backtrace() before each malloc, for comparison. Prints what the loops cost.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t pairs;
static unsigned int depth;
static int leaf_changes, root_changes;
static int (*unwind)(void **frames, int room);

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#define KEEP(block) __asm__ volatile("" : "+r"(block)::"memory")

static inline void stack_of_peer(void)
{
	void *frames[256];

	if (unwind)
		(void)unwind(frames, 256);
}

static __attribute__((noinline)) void *leaf_one(size_t size)
{
	void *block;

	stack_of_peer();
	block = malloc(size);

	KEEP(block);
	return block;
}

/* Not the same code as the other, or the compiler makes one function of both. */
static __attribute__((noinline)) void *leaf_two(size_t size)
{
	void *block;

	stack_of_peer();
	block = malloc(size + 8);

	KEEP(block);
	return block;
}

static __attribute__((noinline)) void work(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		void *block = leaf_changes && i % 2 ? leaf_two(64) : leaf_one(64);

		KEEP(block);
		free(block);
	}
}

static __attribute__((noinline)) void descend(unsigned int left, uint64_t count)
{
	if (left)
		descend(left - 1, count);
	else
		work(count);
	__asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void other_root(unsigned int left)
{
	descend(left, 1);
	__asm__ volatile("" ::: "memory");
}

static void *run(void *unused)
{
	(void)unused;
	if (root_changes) {
		for (uint64_t i = 0; i < pairs; i += 2) {
			descend(depth, 1);
			other_root(depth);
		}
	} else {
		descend(depth, pairs);
	}
	return NULL;
}

static int peer_open(void)
{
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);

	if (library)
		*(void **)&unwind = dlsym(library, "unw_backtrace");
	if (!unwind)
		fprintf(stderr,
			"stacks: no unw_backtrace in 'libunwind.so.8'; install libunwind8\n");
	return unwind ? 0 : 1;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "same";
	unsigned int threads = argc > 4 ? (unsigned int)atoi(argv[4]) : 1;
	pthread_t other[64];
	uint64_t wall, cpu;

	depth = argc > 2 ? (unsigned int)atoi(argv[2]) : 10;
	pairs = argc > 3 ? strtoull(argv[3], NULL, 10) : 1000000;
	leaf_changes = strcmp(mode, "leaf") == 0;
	root_changes = strcmp(mode, "root") == 0;
	if (threads < 1 || threads > 64 || (argc > 5 && peer_open()))
		return 2;
	wall = now_ns(CLOCK_MONOTONIC);
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (unsigned int i = 1; i < threads; i++)
		if (pthread_create(&other[i], NULL, run, NULL))
			return 2;
	run(NULL);
	for (unsigned int i = 1; i < threads; i++)
		pthread_join(other[i], NULL);
	wall = now_ns(CLOCK_MONOTONIC) - wall;
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	printf("result {\"events\": %llu, \"wall_ns\": %llu, \"cpu_ns\": %llu}\n",
	       (unsigned long long)(2 * pairs * threads), (unsigned long long)wall,
	       (unsigned long long)cpu);
	return 0;
}
