/* SPDX-License-Identifier: MIT */
/*
 * Gets blocks through wrappers (every operator new, and an xmalloc of its own that stands behind a
 * frame pointer) at many depths of the stack, so that frames lie across pages, too. Each kind has a
 * call site of its own and a number of blocks of its own: kind k has (k + 1) * 1000.
 *
 * usage: caller_new
 */
/* build: -std=c++17 -fno-builtin -fno-optimize-sibling-calls -rdynamic */
#include <alloca.h>
#include <cstdlib>
#include <cstring>
#include <new>

#define DEPTHS 1000 /* of 16 bytes: four pages */
#define KINDS 7

extern "C" __attribute__((noinline, optimize("no-omit-frame-pointer"))) void *xmalloc(size_t size)
{
	void *block = malloc(size);

	if (!block)
		abort();
	return block;
}

extern "C" __attribute__((noinline, optimize("omit-frame-pointer"))) void *xcalloc(size_t count,
										   size_t size)
{
	void *block = xmalloc(count * size);

	memset(block, 0, count * size);
	return block;
}

static __attribute__((noinline)) void get_and_free(unsigned int kind)
{
	switch (kind) {
	case 0:
		return ::operator delete(::operator new(100));
	case 1:
		return ::operator delete[](::operator new[](101));
	case 2:
		return ::operator delete(::operator new(102, std::nothrow));
	case 3:
		return ::operator delete[](::operator new[](103, std::nothrow));
	case 4:
		return ::operator delete(::operator new(1024, std::align_val_t(256)),
					 std::align_val_t(256));
	case 5:
		return free(xmalloc(104));
	case 6:
		return free(xcalloc(1, 105));
	}
}

static __attribute__((noinline)) void run_at_depth(unsigned int depth)
{
	volatile char *room = static_cast<volatile char *>(alloca(depth * 16 + 16));

	room[0] = 0;
	for (unsigned int kind = 0; kind < KINDS; kind++) {
		for (unsigned int i = 0; i <= kind; i++)
			get_and_free(kind);
	}
}

int main()
{
	for (unsigned int depth = 0; depth < DEPTHS; depth++)
		run_at_depth(depth);
	return 0;
}
