/* SPDX-License-Identifier: MIT */
/* build: -O0 -g */
/*
 * What a class holds in a container and a string is never freed: its base has no virtual
 * destructor. make_plugin() is to be named.
 */
#include <cstdio>
#include <string>
#include <vector>

struct Base {
	int id = 0;
	virtual void run() = 0;
};
struct Derived : Base {
	std::vector<double> buffer;
	std::string name;
	Derived() : buffer(1000), name(200, 'n')
	{
	}
	void run() override
	{
		id++;
	}
};

__attribute__((noinline)) Base *make_plugin()
{
	return new Derived;
}

static char *xmalloc(std::size_t size)
{
	return static_cast<char *>(::operator new(size));
}

#define KEEPER(name, size)                     \
	__attribute__((noinline)) char *name() \
	{                                      \
		return xmalloc(size);          \
	}
KEEPER(keep_one, 111)
KEEPER(keep_two, 222)

int main()
{
	for (int i = 0; i < 4000; i++) {
		make_plugin()->run();
		keep_one();
		keep_two();
	}
	std::puts("done");
	return 0;
}
