/* build: -g -O1 -fno-inline -fno-ipa-icf */
/* SPDX-License-Identifier: MIT */
/*
 * usage: namesakes: allocates in functions whose names differ only where short forms of them leave
 * something out.
 */
#include <cstdlib>

static void *volatile kept;

template <class T> struct made {
	__attribute__((noinline)) static void *by(std::size_t bytes)
	{
		kept = std::malloc(bytes);
		return kept;
	}
};

__attribute__((noinline)) static void *overloaded(int bytes)
{
	kept = std::malloc((std::size_t)bytes);
	return kept;
}

__attribute__((noinline)) static void *overloaded(long bytes)
{
	kept = std::malloc((std::size_t)bytes);
	return kept;
}

int main()
{
	made<double(long)>::by(100000);
	made<char(long)>::by(200000);
	made<void(long)>::by(300000);
	overloaded(400000);
	overloaded(500000L);
	return 0;
}
