/* SPDX-License-Identifier: MIT */
/*
 * Loads libraries that use CUDA, RTLD_LOCAL, and unloads them.
 *
 * usage: cuda_plugins WORD...
 * WORD: a path, loaded and run 10 times; "close" unloads what was loaded last. "none" calls a CUDA
 * function found by dlsym(RTLD_DEFAULT) while no library has it: exit status 3 unless it is not
 * there or fails.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int call_none(void)
{
	int (*allocate)(void **, size_t) = (int (*)(void **, size_t))dlsym(RTLD_DEFAULT,
									   "cudaMalloc");
	void *block = NULL;

	return allocate && (allocate(&block, 1) == 0 || block) ? 3 : 0;
}

int main(int argc, char **argv)
{
	void *loaded[16], *library;
	void (*run)(unsigned int times);
	int count = 0;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "none")) {
			if (call_none())
				return 3;
			continue;
		}
		if (!strcmp(argv[i], "close")) {
			dlclose(loaded[--count]);
			continue;
		}
		library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		if (!library) {
			fprintf(stderr, "%s\n", dlerror());
			return 2;
		}
		loaded[count++] = library;
		run = (void (*)(unsigned int))dlsym(library, "cuda_user_run");
		run(10);
	}
	return 0;
}
