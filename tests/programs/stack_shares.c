/* SPDX-License-Identifier: MIT */
/*
 * Allocations whose shares are known: 4000 of 10,000 bytes by large(), 100,000 of 100 bytes by
 * small(), both freed at once; 500 of 20,000 bytes by kept(), never freed; 1000 of no bytes by
 * none(). With an argument, one in fifty of all these.
 */
/* build: -fno-builtin */
#include <stdlib.h>

static void *volatile sink;

static __attribute__((noinline)) void large(void)
{
	sink = malloc(10000);
	free(sink);
}

static __attribute__((noinline)) void small(void)
{
	sink = malloc(100);
	free(sink);
}

static __attribute__((noinline)) void kept(void)
{
	sink = malloc(20000);
	*(volatile char *)sink = 1;
}

static __attribute__((noinline)) void none(void)
{
	sink = malloc(0);
	free(sink);
}

int main(int argc, char **argv)
{
	int part = argc > 1 && argv[1][0] ? 50 : 1;

	for (int i = 0; i < 4000 / part; i++)
		large();
	for (int i = 0; i < 100000 / part; i++)
		small();
	for (int i = 0; i < 500 / part; i++)
		kept();
	for (int i = 0; i < 1000 / part; i++)
		none();
	return 0;
}
