/* build: -g -O2 -fno-ipa-icf */
/* SPDX-License-Identifier: MIT */
/*
 * usage: symbols
 * Calls malloc() from places whose function and line are known: each stands in a line that ends
 * with a comment of its name. Ends when its standard input does.
 */
#include <cstdlib>
#include <unistd.h>

#define KEEP(pointer) asm volatile("" : : "r"(pointer) : "memory")

struct app {
	static inline __attribute__((always_inline)) void *inlined(std::size_t bytes)
	{
		void *block = std::malloc(bytes); /* inlined */

		KEEP(block);
		return block;
	}

	template <class Number> static __attribute__((noinline)) void *made(Number bytes)
	{
		void *block = inlined(bytes);

		KEEP(block);
		return block;
	}
};

extern "C" __attribute__((noinline)) void *plain(std::size_t bytes)
{
	void *block = std::malloc(bytes); /* plain */

	KEEP(block);
	return block;
}

static __attribute__((noinline)) void hidden(std::size_t bytes)
{
	void *block = std::malloc(bytes); /* hidden */

	KEEP(block);
	std::free(block);
}

/* What comes behind the last call is another function. */
static __attribute__((noinline, noreturn)) void ends(std::size_t bytes)
{
	KEEP(std::malloc(bytes)); /* ends */
	std::_Exit(0);
}

int main()
{
	for (int i = 0; i < 10; i++) {
		std::free(app::made<long>(1000));
		std::free(plain(2000));
		hidden(3000);
	}
	char byte;

	while (read(0, &byte, 1) > 0)
		;
	ends(4000);
}
