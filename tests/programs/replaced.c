/* SPDX-License-Identifier: MIT */
/* build: -ldl -lpthread */
/* races: none, it opens libraries that its case makes */
/*
 * replaced THREADS ROUNDS LIBRARY...: in each round each thread opens the libraries one after the
 * other, in an order of its own, has each allocate 10 blocks by its function `run`, and closes it
 * again, so that the next one lies where it lay. The last one stays open. Prints how many of them
 * lay where the first one did.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCKS 10
#define THREADS_MAX 16

static int rounds, count;
static char **path;
static _Atomic(void *) first;
static atomic_int same;

static void use(const char *file, int closes)
{
	void *library = dlopen(file, RTLD_NOW), *none = NULL;
	void *(*run)(void) = NULL;

	if (library)
		*(void **)&run = dlsym(library, "run");
	if (!run) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	atomic_compare_exchange_strong(&first, &none, *(void **)&run);
	same += *(void **)&run == first;
	for (int block = 0; block < BLOCKS; block++)
		free(run());
	if (closes)
		dlclose(library);
}

/* Each thread begins with another one, or takes them the other way round. */
static void *repeat(void *of)
{
	int number = (int)(intptr_t)of;

	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < count; i++) {
			int at = (number % 2 ? count - 1 - i : i) + number / 2;

			use(path[at % count], round + 1 < rounds || i + 1 < count);
		}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 3 ? atoi(argv[1]) : 0;
	pthread_t thread[THREADS_MAX];

	rounds = argc > 3 ? atoi(argv[2]) : 0;
	path = argv + 3;
	count = argc - 3;
	for (int i = 1; i < threads && i < THREADS_MAX; i++)
		pthread_create(&thread[i], NULL, repeat, (void *)(intptr_t)i);
	repeat(NULL);
	for (int i = 1; i < threads && i < THREADS_MAX; i++)
		pthread_join(thread[i], NULL);
	printf("%d\n", same);
	return 0;
}
