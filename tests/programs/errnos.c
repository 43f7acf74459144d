/* SPDX-License-Identifier: MIT */
/*
 * Calls every heap function in a way that succeeds and in a way that fails, with errno set to 4711
 * before, and prints what it is afterwards.
 */
/* build: -fno-builtin */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Volatile: the compiler is not to know that these calls fail. */
static volatile size_t too_large = (size_t)PTRDIFF_MAX + 4096, too_many = SIZE_MAX / 2;
static char out[8192];
static size_t used;

static void tell(const char *what, const void *result)
{
	int seen = errno;

	used += (size_t)snprintf(out + used, sizeof(out) - used, "%s: %s, errno %d\n", what,
				 result ? "a block" : "null", seen);
	errno = 4711;
}

static void call_allocations(size_t size, size_t count)
{
	void *block = NULL;
	int code;

	tell("malloc", malloc(size));
	tell("calloc", calloc(count, 4));
	tell("realloc of null", realloc(NULL, size));
	tell("realloc", realloc(malloc(10), size));
	tell("reallocarray", reallocarray(malloc(10), count, 4));
	tell("aligned_alloc", aligned_alloc(64, size));
	tell("memalign", memalign(64, size));
	tell("valloc", valloc(size));
	tell("pvalloc", pvalloc(size));
	code = posix_memalign(&block, 64, size);
	tell("posix_memalign", block);
	printf("posix_memalign: %d\n", code);
	code = posix_memalign(&block, 24, 10);
	tell("posix_memalign with a bad alignment", NULL);
	printf("posix_memalign: %d\n", code);
}

int main(void)
{
	errno = 4711;
	call_allocations(100, 25);
	call_allocations(too_large, too_many);
	free(malloc(100));
	tell("free", NULL);
	free(malloc(1 << 20)); /* mapped by itself: free calls munmap */
	tell("free of a large block", NULL);
	free(NULL);
	tell("free of null", NULL);
	tell("realloc to nothing", realloc(malloc(10), 0));
	used += (size_t)snprintf(out + used, sizeof(out) - used, "usable %d\n",
				 malloc_usable_size(malloc(10)) >= 10);
	tell("malloc_usable_size", NULL);
	fputs(out, stdout);
	return 0;
}
