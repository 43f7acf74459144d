/* SPDX-License-Identifier: MIT */
/* build: -fno-builtin */
/*
 * A program with a malloc() of its own, as firefox has: a piece of an array, never given back.
 * Allocates 100 blocks.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static char arena[1 << 22];
static size_t used;

void *malloc(size_t size)
{
	char *block;

	size = (size + 31) & ~(size_t)15;
	if (size > sizeof(arena) - used)
		return NULL;
	block = arena + used + 16;
	*(size_t *)(arena + used) = size - 16;
	used += size;
	return block;
}

void free(void *ptr)
{
	(void)ptr;
}

void *calloc(size_t count, size_t size)
{
	return malloc(count * size); /* never used twice: zeros */
}

void *realloc(void *ptr, size_t size)
{
	void *block = malloc(size);

	if (block && ptr) {
		size_t before = *((size_t *)ptr - 2);

		memcpy(block, ptr, before < size ? before : size);
	}
	return block;
}

int main(void)
{
	int count = 0;

	while (count < 100 && malloc(1000))
		count++;
	printf("%d blocks\n", count);
	return 0;
}
