/* SPDX-License-Identifier: MIT */
/*
 * 100 allocations each of 1000, 65535, 65536 and 100000 bytes: by malloc(), and as many by operator
 * new.
 */
/* build: -fno-builtin */
#include <cstdlib>

static void *volatile sink;

static __attribute__((noinline)) void by_malloc(size_t bytes)
{
	sink = malloc(bytes);
	free(sink);
}

static __attribute__((noinline)) void by_new(size_t bytes)
{
	sink = ::operator new(bytes + 1000000);
	::operator delete(sink);
}

int main()
{
	static const size_t sizes[] = { 1000, 65535, 65536, 100000 };

	for (size_t bytes : sizes) {
		for (int i = 0; i < 100; i++) {
			by_malloc(bytes);
			by_new(bytes);
		}
	}
	return 0;
}
