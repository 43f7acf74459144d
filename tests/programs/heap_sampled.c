/* SPDX-License-Identifier: MIT */
/* build: -pthread */
/* races: heap_sampled */
/*
 * usage: heap_sampled
 * Allocates by every function of the heap, frees on other threads, forks, and prints as JSON what
 * it has done itself: bytes and blocks of all, and what it never frees. For INTERCEPT_HEAP_EVERY.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 40000
#define KEPT 4000
#define LARGE (3u << 20)

struct did {
	uint64_t bytes, blocks;
};

static struct did all, kept;
static void *passed[1024];
static size_t passed_count;

static void *noted(void *block, size_t bytes)
{
	if (!block)
		_exit(1);
	all.bytes += bytes;
	all.blocks++;
	return block;
}

static size_t size_of(unsigned int round)
{
	static uint32_t state = 7;

	state = state * 1103515245u + 12345u;
	return round % 1000 ? 16 + (state >> 16) % 4000 : LARGE;
}

static void *allocate(unsigned int round, size_t bytes)
{
	void *block = NULL;

	switch (round % 5) {
	case 0:
		return noted(calloc(1, bytes), bytes);
	case 1:
		return noted(aligned_alloc(64, bytes / 64 * 64 + 64), bytes / 64 * 64 + 64);
	case 2:
		if (posix_memalign(&block, 128, bytes))
			_exit(1);
		return noted(block, bytes);
	case 3: /* one allocation, one free, another allocation */
		block = noted(malloc(bytes), bytes);
		return noted(realloc(block, bytes * 2), bytes * 2);
	default:
		return noted(malloc(bytes), bytes);
	}
}

static void *free_passed(void *unused)
{
	(void)unused;
	while (passed_count)
		free(passed[--passed_count]);
	return NULL;
}

static void pass(void *block)
{
	pthread_t thread;

	passed[passed_count++] = block;
	if (passed_count < sizeof(passed) / sizeof(passed[0]))
		return;
	if (pthread_create(&thread, NULL, free_passed, NULL) || pthread_join(thread, NULL))
		_exit(1);
}

/* The child frees what its parent allocated, which its recording has never seen. */
static void fork_and_free(void *block)
{
	pid_t child = fork();

	if (!child) {
		free(block);
		for (int i = 0; i < 100; i++) {
			void *volatile own = malloc(10000); /* gcc would leave both calls out */

			free(own);
		}
		_exit(0);
	}
	waitpid(child, NULL, 0);
	all.bytes += 100 * 10000;
	all.blocks += 100;
}

int main(void)
{
	static void *volatile hold[KEPT];
	void *block;

	for (unsigned int round = 0; round < ROUNDS; round++)
		pass(allocate(round, size_of(round)));
	free_passed(NULL);
	for (unsigned int i = 0; i < KEPT; i++) {
		hold[i] = noted(malloc(1000), 1000);
		kept.bytes += 1000;
		kept.blocks++;
	}
	block = noted(malloc(LARGE), LARGE);
	kept.bytes += LARGE;
	kept.blocks++;
	fork_and_free(block);
	hold[0] = hold[0] ? hold[0] : block;
	printf("{\"bytes\": %llu, \"blocks\": %llu, \"kept_bytes\": %llu, \"kept_blocks\": %llu}\n",
	       (unsigned long long)all.bytes, (unsigned long long)all.blocks,
	       (unsigned long long)kept.bytes, (unsigned long long)kept.blocks);
	fflush(stdout);
	_exit(0);
}
