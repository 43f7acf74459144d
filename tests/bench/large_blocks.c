/* SPDX-License-Identifier: MIT */
/*
 * For large_blocks.py: callgrind counts between large_begin_count() and large_end_count().
 * large_loop() is the worst case: blocks of 64 KiB that nothing is done with.
 */
#include <stdlib.h>
#include <valgrind/callgrind.h>

void large_begin_count(void);
void large_end_count(void);
void large_loop(long turns, long bytes);

void large_begin_count(void)
{
	CALLGRIND_START_INSTRUMENTATION;
}

void large_end_count(void)
{
	CALLGRIND_STOP_INSTRUMENTATION;
}

void large_loop(long turns, long bytes)
{
	for (long i = 0; i < turns; i++) {
		char *block = malloc((size_t)bytes);

		__asm__ volatile("" ::"r"(block) : "memory");
		free(block);
	}
}
