/* SPDX-License-Identifier: MIT */
/*
 * Work without steps, for INTERCEPT_BUDGET: allocates blocks of 4,321 bytes, one at a time,
 * for so long, with pauses of a millisecond. At the end it prints their number.
 *
 * timed_work SECONDS [FILE]: with FILE, ranges `step` end steps, and the step after the 30th one
 * goes on until FILE exists; then come 10 more.
 */
/* build: -fno-builtin */
/* races: none, one thread */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define BLOCK_BYTES 4321
#define STEPS 30
#define STEPS_AFTER 10

__attribute__((weak)) int nvtxRangePushA(const char *message);
__attribute__((weak)) int nvtxRangePop(void);

static unsigned long blocks;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void work(void)
{
	for (int i = 0; i < 100; i++, blocks++)
		free(malloc(BLOCK_BYTES));
}

static void step(const char *until)
{
	if (nvtxRangePushA)
		nvtxRangePushA("step");
	do {
		work();
		usleep(1000);
	} while (until && access(until, F_OK));
	if (nvtxRangePop)
		nvtxRangePop();
}

int main(int argc, char **argv)
{
	double end = now() + (argc > 1 ? strtod(argv[1], NULL) : 1);

	if (argc > 2) {
		for (int i = 0; i <= STEPS + STEPS_AFTER; i++)
			step(i == STEPS ? argv[2] : NULL);
	} else {
		while (now() < end) {
			work();
			usleep(1000);
		}
	}
	printf("%lu\n", blocks);
	return 0;
}
