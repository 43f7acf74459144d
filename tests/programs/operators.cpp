/* SPDX-License-Identifier: MIT */
/*
 * Every form of operator new and delete, a known number of times; one that fails and throws, one
 * with a new handler (neither with an argument); a class with operators of its own, which are no
 * blocks but what they take. Prints what is to be recorded: `blocks` and `bytes` from here, all
 * freed.
 */
#include <cstdio>
#include <cstdlib>
#include <new>

static const int ROUNDS = 100;
static unsigned long blocks, bytes;

struct arena {
	static void *operator new(std::size_t size)
	{
		return std::malloc(size + 16);
	}
	static void operator delete(void *ptr)
	{
		std::free(ptr);
	}
	char room[84];
};

static void *volatile kept;

static void *count(void *block, unsigned long size)
{
	kept = block;
	blocks++;
	bytes += size;
	return block;
}

static void plain(std::size_t size)
{
	::operator delete(count(::operator new(size), size));
	::operator delete(count(::operator new(size), size), size);
	::operator delete(count(::operator new(size, std::nothrow), size), std::nothrow);
	::operator delete[](count(::operator new[](size), size));
	::operator delete[](count(::operator new[](size), size), size);
	::operator delete[](count(::operator new[](size, std::nothrow), size), std::nothrow);
}

static void aligned(std::size_t size)
{
	std::align_val_t line{ 64 };

	::operator delete(count(::operator new(size, line), size), line);
	::operator delete(count(::operator new(size, line), size), size, line);
	::operator delete(count(::operator new(size, line, std::nothrow), size), line,
			  std::nothrow);
	::operator delete[](count(::operator new[](size, line), size), line);
	::operator delete[](count(::operator new[](size, line), size), size, line);
	::operator delete[](count(::operator new[](size, line, std::nothrow), size), line,
			    std::nothrow);
}

static int handled;

static void give_up()
{
	handled++;
	std::set_new_handler(nullptr);
}

/*
 * From deep in the stack: what is recorded later from a deeper place must not be taken for the
 * original's.
 */
static int fails(volatile std::size_t size, bool with_handler)
{
	std::set_new_handler(with_handler ? give_up : nullptr);
	try {
		kept = ::operator new(size);
	} catch (const std::bad_alloc &) {
		return 1;
	}
	return 0;
}

static void deeper(int levels)
{
	volatile char room[256];

	room[0] = 0;
	if (levels)
		return deeper(levels - 1);
	plain(2048);
	(void)room[0];
}

int main(int argc, char **)
{
	int thrown = 0;

	for (int i = 0; i < ROUNDS; i++) {
		plain(1024);
		aligned(4096);
		delete (arena *)count(new arena, sizeof(arena) + 16);
	}
	if (argc == 1) { /* an allocator that was built as C, as Debian's mimalloc is, aborts */
		thrown += fails((std::size_t)-1 / 4, false);
		thrown += fails((std::size_t)-1 / 4, true);
		if (::operator new((std::size_t)-1 / 4, std::nothrow))
			return 1;
	}
	deeper(20);
	::operator delete(nullptr);
	std::printf("blocks %lu bytes %lu thrown %d handled %d\n", blocks, bytes, thrown, handled);
	return 0;
}
