/* SPDX-License-Identifier: MIT */
/* build: -ldl */
/*
 * loaded_objects LIBRARY...: opens each, calls its `run`, and says where ld.so has put every
 * object: a line "object BIAS PATH" each, of the program "object BIAS" and its name. Then it waits
 * for the end of its input.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int print(struct dl_phdr_info *info, size_t bytes, void *context)
{
	const char *program = context;
	const char *name = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : program;

	(void)bytes;
	printf("object %llu %s\n", (unsigned long long)info->dlpi_addr, name);
	return 0;
}

int main(int argc, char **argv)
{
	char program[4096], c;
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	program[length > 0 ? length : 0] = 0;
	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		void *(*run)(void) = library ? (void *(*)(void))dlsym(library, "run") : NULL;

		if (!run || !run()) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
	}
	dl_iterate_phdr(print, program);
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		continue;
	return 0;
}
