/* SPDX-License-Identifier: MIT */
/*
 * Blocks by jemalloc's functions with flags, bound weakly, so that it runs with and without
 * jemalloc: 100 rounds of each. Prints what is to be recorded of them.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

extern void *mallocx(size_t size, int flags) __attribute__((weak));
extern void *rallocx(void *ptr, size_t size, int flags) __attribute__((weak));
extern size_t xallocx(void *ptr, size_t size, size_t extra, int flags) __attribute__((weak));
extern void dallocx(void *ptr, int flags) __attribute__((weak));
extern void sdallocx(void *ptr, size_t size, int flags) __attribute__((weak));

#define ROUNDS 100
#define ALIGN_64 6
#define ZERO 0x40

static unsigned long blocks, bytes;

static void *count(void *block, size_t size)
{
	blocks++;
	bytes += size;
	memset(block, 1, size);
	return block;
}

static int is_zero(const char *block, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (block[i])
			return 0;
	return 1;
}

int main(void)
{
	if (!mallocx) {
		puts("no jemalloc");
		return 0;
	}
	for (int i = 0; i < ROUNDS; i++) {
		void *plain = count(mallocx(1000, 0), 1000);
		void *aligned = mallocx(2000, ALIGN_64 | ZERO);

		if ((uintptr_t)aligned % 64 || !is_zero(aligned, 2000))
			return 1;
		count(aligned, 2000);
		plain = count(rallocx(plain, 3000, 0), 3000);
		if (xallocx(plain, 3001, 0, 0) >= 3001)
			count(plain, 3001);
		dallocx(plain, 0);
		sdallocx(aligned, 2000, ALIGN_64);
	}
	printf("blocks %lu bytes %lu\n", blocks, bytes);
	return 0;
}
