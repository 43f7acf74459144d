/* SPDX-License-Identifier: MIT */
/*
 * Many kernels, long names, many launches that are all different.
 *
 * usage: cuda_names long | gone | kernels COUNT | launches COUNT
 * Then it says "done" and waits for the end of its input. long: names of 10,000 characters that
 * differ in the last. launches: each with another grid. gone: the name is unmapped before the
 * launch.
 */
/* build: -L$O/fake -l:libcudart.so.13 -Wl,-rpath,'$ORIGIN/../fake' */
#include <sys/mman.h>

#include "cuda_client.h"

#define LONG 10000

static void run_long(void)
{
	static char name[3][LONG + 1], kernels[3];

	for (int i = 0; i < 3; i++) {
		memset(name[i], 'a', LONG);
		name[i][LONG - 1] = (char)('x' + i);
		client_kernel(&kernels[i], name[i]);
		for (int times = 0; times <= i; times++)
			OK(cudaLaunchKernel(&kernels[i], one, one, NULL, 0, NULL));
	}
}

/* The fake reads a name when it is registered, the real libcudart may keep it. */
static void run_gone(void)
{
	static char kernel;
	char *name = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	strcpy(name, "of_a_compiler_in_the_program");
	client_kernel(&kernel, name);
	munmap(name, 4096);
	OK(cudaLaunchKernel(&kernel, one, one, NULL, 0, NULL));
}

static void run_kernels(unsigned int count)
{
	char *kernels = malloc(count), *names = malloc(count * 64ul);

	for (unsigned int i = 0; i < count; i++) {
		snprintf(names + i * 64ul, 64, "_Z17kernel_of_a_model%ui", i);
		client_kernel(&kernels[i], names + i * 64ul);
	}
	for (unsigned int i = 0; i < count; i++)
		OK(cudaLaunchKernel(&kernels[i], one, one, NULL, 0, NULL));
}

static void run_launches(unsigned int count)
{
	static char kernel;

	client_kernel(&kernel, "launched");
	for (unsigned int i = 0; i < count; i++)
		OK(cudaLaunchKernel(&kernel, (dim3){ i + 1, i % 7 + 1, 1 }, one, NULL, i, NULL));
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 2 ? (unsigned int)strtoul(argv[2], NULL, 10) : 0;

	if (argc > 1 && !strcmp(argv[1], "kernels"))
		run_kernels(count);
	else if (argc > 1 && !strcmp(argv[1], "launches"))
		run_launches(count);
	else if (argc > 1 && !strcmp(argv[1], "gone"))
		run_gone();
	else
		run_long();
	printf("done\n");
	fclose(stdout);
	while (getchar() != EOF)
		continue;
	return 0;
}
