/* SPDX-License-Identifier: MIT */
/* races: handover 2 1000 */
/*
 * Pairs of threads: one allocates, the other frees at once. What one of them frees, others soon get
 * again, so the events of different threads have to be put into the right order.
 *
 * usage: handover PAIRS NUMBER
 */
/* build: -pthread -fno-builtin */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#define PAIRS_MAX 16

static struct pair {
	_Alignas(64) _Atomic(void *) slot;
	pthread_t maker, taker;
} pairs[PAIRS_MAX];
static long number;

static void *make(void *argument)
{
	struct pair *pair = argument;

	for (long i = 0; i < number; i++) {
		void *block = malloc(48), *empty = NULL;

		while (!atomic_compare_exchange_weak(&pair->slot, &empty, block)) {
			empty = NULL;
			sched_yield();
		}
	}
	return NULL;
}

static void *take(void *argument)
{
	struct pair *pair = argument;

	for (long i = 0; i < number; i++) {
		void *block;

		while (!(block = atomic_exchange(&pair->slot, NULL)))
			sched_yield();
		free(block);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[1]) : 0;

	if (count <= 0 || count > PAIRS_MAX)
		return 2;
	number = atol(argv[2]);
	for (int i = 0; i < count; i++) {
		pthread_create(&pairs[i].taker, NULL, take, &pairs[i]);
		pthread_create(&pairs[i].maker, NULL, make, &pairs[i]);
	}
	for (int i = 0; i < count; i++) {
		pthread_join(pairs[i].maker, NULL);
		pthread_join(pairs[i].taker, NULL);
	}
	return 0;
}
