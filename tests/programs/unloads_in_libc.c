/* SPDX-License-Identifier: MIT */
/* build: -ldl */
/*
 * unloads_in_libc GO LIBRARY: opens a conversion of iconv(), whose module libc loads by itself, and
 * waits until the file GO is there. Then closes it, and others, so that libc unloads the module,
 * opens the library, which mostly comes to lie there, and has its function `run` allocate 200
 * blocks. Exit status 2: there is no such conversion.
 */
#include <dlfcn.h>
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define OPENED 20
#define BLOCKS 200

static int convert(const char *to)
{
	iconv_t conversion = iconv_open(to, "ISO-8859-15");
	char from[] = "text", room[64];
	char *in = from, *out = room;
	size_t in_left = sizeof(from) - 1, out_left = sizeof(room);

	if (conversion == (iconv_t)-1)
		return 0;
	(void)iconv(conversion, &in, &in_left, &out, &out_left);
	return iconv_close(conversion) == 0;
}

int main(int argc, char **argv)
{
	void *library, *(*run)(void) = NULL;
	iconv_t first = iconv_open("UTF-16", "ISO-8859-15");

	if (argc != 3 || first == (iconv_t)-1)
		return 2;
	while (access(argv[1], F_OK))
		usleep(10000);
	for (int i = 1; i < OPENED; i++)
		if (!convert("UTF-16"))
			return 2;
	iconv_close(first);
	for (int i = 0; i < OPENED; i++)
		if (!convert("UTF-7"))
			return 2;
	library = dlopen(argv[2], RTLD_NOW);
	if (library)
		*(void **)&run = dlsym(library, "run");
	if (!run) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	for (int i = 0; i < BLOCKS; i++)
		(void)run();
	return 0;
}
