/* SPDX-License-Identifier: MIT */
/*
 * Makes ROUNDS rounds of every kind of operator new and delete and writes what it did as JSON.
 *
 * usage: cppheap EXPECTED ROUNDS
 */
/* build: -std=c++17 -fno-builtin */
#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
#include "tally.h"
}

static void give(struct tally *t, void *block, size_t size, void (*gives)(void *, size_t))
{
	tally_gives(t, block, size);
	gives(block, size);
}

static void run_round(struct tally *t, size_t n)
{
	void *block = ::operator new(n);

	tally_took(t, block, n);
	give(t, block, n, [](void *p, size_t) { ::operator delete(p); });
	block = ::operator new[](n + 1);
	tally_took(t, block, n + 1);
	give(t, block, n + 1, [](void *p, size_t) { ::operator delete[](p); });
	block = ::operator new(n + 2, std::nothrow);
	tally_took(t, block, n + 2);
	give(t, block, n + 2, [](void *p, size_t size) { ::operator delete(p, size); });
	block = ::operator new(1024, std::align_val_t(256));
	tally_took(t, block, 1024);
	give(t, block, 1024, [](void *p, size_t) { ::operator delete(p, std::align_val_t(256)); });
	block = ::operator new[](n + 3, std::nothrow);
	tally_took(t, block, n + 3);
	give(t, block, n + 3, [](void *p, size_t size) { ::operator delete[](p, size); });
}

int main(int argc, char **argv)
{
	long rounds;
	struct tally *t;

	if (argc < 3)
		return 2;
	rounds = atol(argv[2]);
	tally_open();
	t = tally_row();
	for (long i = 0; i < rounds; i++)
		run_round(t, 2000 + (size_t)i);
	tally_write(argv[1]);
	return 0;
}
