/* SPDX-License-Identifier: MIT */
/* races: stack_depths */
/*
 * Four threads, and then a forked child and a signal handler, allocate 9000 + D bytes D calls of
 * descend() deep.
 *
 * usage: stack_depths
 */
/* build: -pthread -fno-builtin -fno-optimize-sibling-calls */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define TIMES 300u
#define DEEPEST 40u

static __attribute__((noinline)) void descend(unsigned int left, unsigned int depth)
{
	if (left) {
		descend(left - 1, depth);
	} else {
		/* its own: two threads that shared it would free a block twice */
		void *volatile block = malloc(9000 + depth);

		free(block);
	}
	__asm__ volatile("" ::: "memory"); /* no tail call */
}

static void *run(void *seed)
{
	unsigned int random = (unsigned int)(uintptr_t)seed;

	for (unsigned int i = 0; i < TIMES; i++) {
		random = random * 1103515245u + 12345u;
		descend((random >> 16) % DEEPEST, (random >> 16) % DEEPEST);
	}
	return NULL;
}

static void handle(int number)
{
	(void)number;
	descend(7, 7);
}

int main(void)
{
	pthread_t thread[THREADS];
	int status = 0;
	pid_t child;

	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, run, (void *)(i + 1)))
			return 1;
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	signal(SIGUSR1, handle);
	raise(SIGUSR1);
	child = fork();
	if (child < 0)
		return 1;
	run((void *)9);
	if (!child)
		exit(0);
	waitpid(child, &status, 0);
	return status != 0;
}
