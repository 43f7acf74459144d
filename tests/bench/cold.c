/* SPDX-License-Identifier: MIT */
/*
 * usage: cold KIB PAIRS
 * What malloc() and free() cost where a program has thrown code and data of theirs out of the
 * cache, as a step of PyTorch does: KIB of other memory are walked through before each call. Prints
 * the quartiles of both in ns, by the TSC: on a busy machine the lower ones are those without a
 * neighbour. With `valgrind --tool=callgrind --cache-sim=yes` it shows which lines are missed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

#define LINE 64u
#define BLOCK 48u

static double ns_per_tick(void)
{
	struct timespec from, to;
	uint64_t start = __rdtsc(), ns;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do {
		clock_gettime(CLOCK_MONOTONIC, &to);
		ns = (uint64_t)(to.tv_sec - from.tv_sec) * 1000000000u + (uint64_t)to.tv_nsec -
		     (uint64_t)from.tv_nsec;
	} while (ns < 20000000);
	return (double)ns / (double)(__rdtsc() - start);
}

static int by_size(const void *one, const void *other)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;

	return (a > b) - (a < b);
}

/* Reads only: a load at the same place of a page as a store that is under way waits for it. */
static __attribute__((noinline)) unsigned int walk(volatile char *memory, size_t bytes)
{
	unsigned int sum = 0;

	for (size_t i = 0; i < bytes; i += LINE)
		sum += (unsigned int)memory
			[i]; /* no stores: loads at the same place of a page would wait for them */
	return sum;
}

static void print(const char *what, uint32_t *ticks, size_t count, double ns)
{
	size_t quarter = count / 4;

	qsort(ticks, count, sizeof(*ticks), by_size);
	printf("%s: %.1f %.1f %.1f ns\n", what, ticks[quarter] * ns, ticks[2 * quarter] * ns,
	       ticks[3 * quarter] * ns);
}

int main(int argc, char **argv)
{
	size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 10) * 1024 : 65536;
	size_t pairs = argc > 2 ? strtoul(argv[2], NULL, 10) : 10000;
	char *other = calloc(1, bytes + 1);
	uint32_t *took[2] = { calloc(pairs + 1, sizeof(uint32_t)),
			      calloc(pairs + 1, sizeof(uint32_t)) };
	double ns = ns_per_tick();
	unsigned int unused;

	if (!other || !took[0] || !took[1])
		return 1;
	for (size_t i = 0; i < pairs; i++) {
		uint64_t from, to;
		void *block;

		walk(other, bytes);
		from = __rdtscp(&unused);
		block = malloc(BLOCK);
		__asm__ volatile("" : "+r"(block) : : "memory"); /* or the pair goes */
		to = __rdtscp(&unused);
		took[0][i] = (uint32_t)(to - from);
		walk(other, bytes);
		from = __rdtscp(&unused);
		free(block);
		to = __rdtscp(&unused);
		took[1][i] = (uint32_t)(to - from);
	}
	print("malloc", took[0], pairs, ns);
	print("free", took[1], pairs, ns);
	return 0;
}
