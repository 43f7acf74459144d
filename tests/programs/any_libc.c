/* SPDX-License-Identifier: MIT */
/* races: any_libc */
/* build: -pthread */
/*
 * Every function of the heap that POSIX and C know, in threads and a forked child, then `exec` of
 * the arguments, if there are any. For libcs other than glibc: tests/cases/other_libc.sh builds it
 * with them.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define ROUNDS 2000

/* Fills the block and frees it; 0 when it is not what it should be. */
static unsigned int block_is_good(void *block, size_t size, size_t alignment)
{
	unsigned char *bytes = block;

	if (!block || (uintptr_t)block % alignment)
		return 0;
	memset(bytes, 0x5a, size);
	bytes = realloc(bytes, size * 2 + 1);
	if (!bytes || bytes[0] != 0x5a || bytes[size - 1] != 0x5a)
		return 0;
	free(bytes);
	return 1;
}

static unsigned int round_of_calls(size_t size)
{
	void *block = NULL;
	unsigned int good = block_is_good(malloc(size), size, 16);

	good += block_is_good(calloc(3, size), size * 3, 16);
	good += block_is_good(realloc(NULL, size), size, 16);
	good += block_is_good(aligned_alloc(64, size / 64 * 64 + 64), size, 64);
	good += !posix_memalign(&block, 4096, size) && block_is_good(block, size, 4096);
	good += malloc(SIZE_MAX / 2) == NULL;
	free(NULL);
	return good;
}

static void *thread_main(void *argument)
{
	unsigned int *good = argument;

	for (size_t i = 0; i < ROUNDS; i++)
		*good += round_of_calls(i % 700 + 1);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned int good[THREADS] = { 0 };
	pthread_t thread[THREADS];
	pid_t child;
	int status = 0;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, thread_main, &good[i]))
			return 1;
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		printf("%u of %u\n", good[i], 6 * ROUNDS);
	}
	fflush(stdout);
	child = fork();
	if (child == 0)
		_exit(round_of_calls(100) == 6 ? 33 : 1);
	if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 33)
		return 2;
	if (argc > 1)
		execvp(argv[1], argv + 1);
	return argc > 1 ? 127 : 21;
}
