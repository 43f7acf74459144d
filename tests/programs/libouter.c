/* SPDX-License-Identifier: MIT */
/*
 * A library that loads its plug-in by name. The dynamic linker looks in this library's RUNPATH only
 * if it sees that the call of dlopen comes from here.
 */
/* build: -Wl,--enable-new-dtags,-rpath,'$ORIGIN/inner' -ldl */
#include <dlfcn.h>
#include <stdio.h>

int outer_blocks(void);

int outer_blocks(void)
{
	void *library = dlopen("libinner.so", RTLD_NOW);
	int (*blocks)(void), count;

	if (!library) {
		printf("%s\n", dlerror());
		return -1;
	}
	blocks = (int (*)(void))dlsym(library, "inner_blocks");
	count = blocks();
	dlclose(library);
	return count;
}
