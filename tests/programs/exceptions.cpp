/* SPDX-License-Identifier: MIT */
/* races: exceptions 100 */
/*
 * Throws and catches through a few frames, on two threads, and says which unwinder is mapped.
 *
 * usage: exceptions NUMBER
 */
/* build: -pthread */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

static int __attribute__((noinline)) sink(int depth)
{
	std::string text("not in the small buffer, so that unwinding has something to destroy");

	if (depth == 0)
		throw std::runtime_error(text);
	return sink(depth - 1) + (int)text.size();
}

static void run(int number, int *caught)
{
	for (int i = 0; i < number; i++) {
		try {
			*caught += sink(6);
		} catch (const std::exception &) {
			++*caught;
		}
	}
}

int main(int argc, char **argv)
{
	int number = argc > 1 ? atoi(argv[1]) : 1000, caught[2] = { 0, 0 };
	std::thread other(run, number, &caught[1]);
	char line[4096];
	FILE *maps;

	run(number, &caught[0]);
	other.join();
	printf("caught %d and %d\n", caught[0], caught[1]);
	maps = fopen("/proc/self/maps", "r");
	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "libunwind") || strstr(line, "libzstd") ||
		    strstr(line, "libjemalloc"))
			printf("a stranger is mapped: %s", line);
	return 0;
}
