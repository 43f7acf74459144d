/* SPDX-License-Identifier: MIT */
/*
 * A long run in short: `steps` steps with names of their own, `blocks` heap blocks each, of random
 * sizes. A range and a block are there from the beginning to the end; every 100th block lives for
 * 1000 blocks. A second thread allocates as well, in a range of its own.
 *
 * long_run STEPS BLOCKS [PROGRESS]: PROGRESS is a file that grows by a byte a step.
 */
/* build: -pthread -fno-builtin */
/* races: long_run 20 500 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((weak)) int nvtxRangePushA(const char *message);
__attribute__((weak)) int nvtxRangePop(void);

#define OLD 10

static atomic_int over;
static uint32_t random_state = 1;

static uint32_t random_next(void)
{
	random_state = random_state * 1664525u + 1013904223u;
	return random_state >> 8;
}

static void push(const char *name)
{
	if (nvtxRangePushA)
		nvtxRangePushA(name);
}

static void pop(void)
{
	if (nvtxRangePop)
		nvtxRangePop();
}

static void *beside(void *unused)
{
	push("beside");
	while (!over) {
		void *block = malloc(77);

		usleep(1000);
		free(block);
	}
	pop();
	return unused;
}

int main(int argc, char **argv)
{
	long steps = argc > 1 ? strtol(argv[1], NULL, 10) : 100;
	long blocks = argc > 2 ? strtol(argv[2], NULL, 10) : 1000;
	int progress = argc > 3 ? open(argv[3], O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
	void *old[OLD] = { NULL }, *first = malloc(424242);
	pthread_t thread;
	long count = 0;

	push("all");
	pthread_create(&thread, NULL, beside, NULL);
	for (long step = 0; step < steps; step++) {
		char name[32];

		snprintf(name, sizeof(name), "part %ld", step % 10);
		push("step");
		push(name);
		for (long i = 0; i < blocks; i++, count++) {
			void *block = malloc(random_next() % 4096 + 1);

			if (count % 100) {
				free(block);
				continue;
			}
			free(old[count / 100 % OLD]);
			old[count / 100 % OLD] = block;
		}
		pop();
		pop();
		if (progress >= 0 && write(progress, "x", 1) != 1)
			return 1;
	}
	over = 1;
	pthread_join(thread, NULL);
	for (int i = 0; i < OLD; i++)
		free(old[i]);
	pop();
	free(first);
	return 0;
}
