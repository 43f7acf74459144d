/* SPDX-License-Identifier: MIT */
/*
 * More stacks than the collector's table has room for, in phases: each makes 5,000 allocations of
 * 77 bytes on stacks of its own, 17 calls deep, and then waits until the recording has grown: so
 * that all is drained, and four times after each second phase. What is no longer used has made room
 * by then; two phases are less than half of the table more than its half.
 *
 * usage: stack_ages RECORDING
 */
/* build: -fno-builtin -fno-optimize-sibling-calls */
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PHASES 8u
#define STACKS 5000u
#define CALLS 17u
#define WAITS_MAX 6000u /* of 5 ms */

static void *volatile sink;

static void descend(unsigned int path, unsigned int left);

static __attribute__((noinline)) void even(unsigned int path, unsigned int left)
{
	descend(path, left);
	__asm__ volatile("" ::: "memory"); /* no tail call */
}

static __attribute__((noinline)) void odd(unsigned int path, unsigned int left)
{
	descend(path, left);
	__asm__ volatile("nop" ::: "memory");
}

static __attribute__((noinline)) void descend(unsigned int path, unsigned int left)
{
	if (!left) {
		sink = malloc(77);
		free(sink);
	} else if (path >> (left - 1) & 1) {
		odd(path, left - 1);
	} else {
		even(path, left - 1);
	}
	__asm__ volatile("" ::: "memory");
}

static long long size_of(const char *path)
{
	struct stat status;

	return stat(path, &status) ? 0 : (long long)status.st_size;
}

static void wait_for_growth(const char *path, unsigned int times)
{
	long long seen = size_of(path);

	for (unsigned int i = 0, grown = 0; i < WAITS_MAX && grown < times; i++) {
		usleep(5000);
		sink = malloc(55); /* so that there is something to write */
		free(sink);
		if (size_of(path) == seen)
			continue;
		seen = size_of(path);
		grown++;
	}
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	for (unsigned int phase = 0; phase < PHASES; phase++) {
		if (phase)
			wait_for_growth(argv[1], phase % 2 ? 1 : 4);
		for (unsigned int i = 0; i < STACKS; i++)
			descend(phase * STACKS + i, CALLS);
	}
	return 0;
}
