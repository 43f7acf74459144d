/* SPDX-License-Identifier: MIT */
/*
 * usage: dlclose_stacks LIBRARY...
 * Allocates 1001 bytes below a function of the first library, unloads that, 1002 below the function
 * of the second, which then lies where the first one lay, and so on. Prints 1 when each lay there.
 */
/* build: -ldl */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static size_t bytes = 1000;
static void *volatile block;

static void allocate(void)
{
	block = malloc(++bytes);
	free(block);
}

int main(int argc, char **argv)
{
	uintptr_t first = 0, same = 1;

	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);
		void (*visit)(void (*)(void)) = NULL;

		if (library)
			*(void **)&visit = dlsym(library, "visit");
		if (!visit)
			return 1;
		first = first ? first : (uintptr_t)visit;
		same &= (uintptr_t)visit == first;
		visit(allocate);
		dlclose(library);
	}
	printf("%d\n", (int)same);
	return 0;
}
