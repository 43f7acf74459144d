/* build: -g -O1 -fno-ipa-icf */
/* SPDX-License-Identifier: MIT */
/*
 * work(): allocations whose leaked bytes and peak are known, through functions that a judge knows
 * by name. Each goes on after its calls.
 */
#include <stdlib.h>

#define APART __attribute__((noinline))

static void *volatile sink;
static void *kept[4000];
static int count;

APART static void *ask(size_t size)
{
	void *volatile block = malloc(size);

	return block;
}

APART static void leaky(void)
{
	kept[count++] = ask(30000);
	sink = NULL;
}

APART static void passing(void)
{
	void *volatile block = ask(5000);

	free(block);
	sink = NULL;
}

APART static void growing(void)
{
	void *volatile block = malloc(100000);

	for (size_t size = 200000; block && size < 2000000; size *= 2)
		block = realloc(block, size);
	free(block);
	sink = NULL;
}

APART static void aligned(void)
{
	void *block = NULL;

	if (!posix_memalign(&block, 4096, 700000))
		kept[count++] = block;
	sink = NULL;
}

APART static void peaking(int depth)
{
	void *volatile block = calloc(1000, 2000);

	if (depth)
		peaking(depth - 1);
	free(block);
	sink = NULL;
}

void work(void)
{
	for (int i = 0; i < 1000; i++) {
		leaky();
		passing();
	}
	growing();
	aligned();
	peaking(20);
	for (int i = 0; i < 10; i++)
		leaky();
	sink = NULL;
}
