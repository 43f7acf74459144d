/* SPDX-License-Identifier: MIT */
/*
 * Its segments have a hole of megabytes between them, as those of executables that are mapped for
 * huge pages have (node): ld.so's lock-free look-up then knows the object by one segment, in which
 * no .eh_frame is. outer() allocates through xmalloc() seven times, and dies with what it took.
 */
/* build: -fno-builtin -fno-optimize-sibling-calls -rdynamic -Wl,--section-start=.init=0x4000000 */
#include <stdlib.h>

#define BLOCKS 7

void *xmalloc(size_t size);
void *outer(size_t size);

__attribute__((noinline)) void *xmalloc(size_t size)
{
	void *block = malloc(size);

	if (!block)
		abort();
	return block;
}

__attribute__((noinline)) void *outer(size_t size)
{
	char *block = xmalloc(size);

	*block = 0;
	return block;
}

int main(void)
{
	for (size_t i = 0; i < BLOCKS; i++)
		*(volatile char *)outer(1000 + i) = 1;
	return 0;
}
