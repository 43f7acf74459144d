/* SPDX-License-Identifier: MIT */
/*
 * Which allocations have a stack under INTERCEPT_STACKS_EVERY: points are strewn over the bytes that a thread asks for, a
 * Poisson process of one point in `every` bytes on average, and an allocation that a point falls into is sampled. So one
 * of s bytes is sampled with probability 1 - exp(-s / every), whatever came before it, and the report divides by
 * that (report/heap/estimate.h). An allocation of no bytes counts as one of one byte.
 *
 * A thread's own; signal handlers in between may lose a distance, which has no memory. No lock, no libm, no libc.
 */
#ifndef PRELOAD_STACKS_SAMPLE_H
#define PRELOAD_STACKS_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

struct sample {
	uint64_t left; /* bytes up to the next point, that one's included; never 0 */
	uint64_t seed;
};

/* Bytes from one point to the next, at least 1: exponential of mean `every`, which is below 2^32. Takes the next of `seed`. */
uint64_t sample_distance(uint64_t *seed, uint64_t every);

/* The same of a number that is uniform over 1 to 2^64 - 1. */
uint64_t sample_distance_of(uint64_t uniform, uint64_t every);

void sample_begin(struct sample *sample, uint64_t seed, uint64_t every);

/* Does a point fall into this allocation? */
static inline bool sample_hits(struct sample *sample, uint64_t bytes, uint64_t every)
{
	uint64_t weighed = bytes ? bytes : 1;
	uint64_t left = __atomic_load_n(&sample->left, __ATOMIC_RELAXED);

	/* `left` is read once: taken from what a handler has left of it, it would pass 0, and no point would come again */
	if (__builtin_expect(weighed < left, 1)) {
		__atomic_store_n(&sample->left, left - weighed, __ATOMIC_RELAXED);
		return false;
	}
	sample->left = sample_distance(&sample->seed, every);
	return true;
}

#endif
