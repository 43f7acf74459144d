/* SPDX-License-Identifier: MIT */
/* build: -ldl */
/*
 * A C program that opens the plugins given, each in a scope of its own, in this order, and prints
 * whose operator new each has.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	const char *(*whose)(void);

	for (int i = 1; i < argc; i++) {
		void *plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);

		if (!plugin) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		*(void **)&whose = dlsym(plugin, "plugin_whose");
		puts(whose());
	}
	puts(dlsym(RTLD_DEFAULT, "_Znwm") ? "the program has one" : "the program has none");
	return 0;
}
