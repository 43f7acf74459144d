/* SPDX-License-Identifier: MIT */
/* build: -ldl */
/*
 * replaced ROUNDS LIBRARY...: in each round opens the libraries one after the other, has each
 * allocate 10 blocks by its function `run`, and closes it again, so that the next one lies where it
 * lay. The last one stays open. Prints how many of them lay where the first one did.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCKS 10

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 0, same = 0;
	void *first = NULL;

	for (int round = 0; round < rounds; round++) {
		for (int i = 2; i < argc; i++) {
			void *library = dlopen(argv[i], RTLD_NOW);
			void *(*run)(void) = NULL;

			if (library)
				*(void **)&run = dlsym(library, "run");
			if (!run) {
				fprintf(stderr, "%s\n", dlerror());
				return 1;
			}
			first = first ? first : *(void **)&run;
			same += *(void **)&run == first;
			for (int block = 0; block < BLOCKS; block++)
				free(run());
			if (round + 1 < rounds || i + 1 < argc)
				dlclose(library);
		}
	}
	printf("%d\n", same);
	return 0;
}
