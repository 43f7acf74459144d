/* SPDX-License-Identifier: MIT */
/*
 * Loads, uses and unloads a library whose plug-in is found by RUNPATH.
 *
 * usage: plugins LIBRARY NUMBER
 */
/* build: -ldl */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int number = argc > 2 ? atoi(argv[2]) : 0, count = 0;

	for (int i = 0; i < number; i++) {
		void *library = dlopen(argv[1], RTLD_NOW);
		int (*blocks)(void);

		if (!library) {
			printf("%s\n", dlerror());
			return 1;
		}
		blocks = (int (*)(void))dlsym(library, "outer_blocks");
		count += blocks();
		dlclose(library);
	}
	printf("%d blocks\n", count);
	return 0;
}
