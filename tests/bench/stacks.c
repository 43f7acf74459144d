/* SPDX-License-Identifier: MIT */
/*
 * usage: stacks same|leaf|root DEPTH PAIRS
 * PAIRS calls of malloc and free from DEPTH frames below main(). same: from one place. leaf: from two functions in
 * turn, so that two frames change. root: the outermost of the frames changes each time, and all the way is gone anew.
 * Prints what the loop cost.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t pairs;
static int leaf_changes;

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#define KEEP(block) __asm__ volatile("" : "+r"(block)::"memory")

static __attribute__((noinline)) void *leaf_one(size_t size)
{
	void *block = malloc(size);

	KEEP(block);
	return block;
}

/* Not the same code as the other, or the compiler makes one function of both. */
static __attribute__((noinline)) void *leaf_two(size_t size)
{
	void *block = malloc(size + 8);

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

static __attribute__((noinline)) void descend(unsigned int depth, uint64_t count)
{
	if (depth)
		descend(depth - 1, count);
	else
		work(count);
	__asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void other_root(unsigned int depth)
{
	descend(depth, 1);
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "same";
	unsigned int depth = argc > 2 ? (unsigned int)atoi(argv[2]) : 10;
	uint64_t wall, cpu;

	pairs = argc > 3 ? strtoull(argv[3], NULL, 10) : 1000000;
	leaf_changes = strcmp(mode, "leaf") == 0;
	wall = now_ns(CLOCK_MONOTONIC);
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (strcmp(mode, "root") == 0) {
		for (uint64_t i = 0; i < pairs; i += 2) {
			descend(depth, 1);
			other_root(depth);
		}
	} else {
		descend(depth, pairs);
	}
	wall = now_ns(CLOCK_MONOTONIC) - wall;
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	printf("result {\"events\": %llu, \"wall_ns\": %llu, \"cpu_ns\": %llu}\n",
	       (unsigned long long)(2 * pairs), (unsigned long long)wall, (unsigned long long)cpu);
	return 0;
}
