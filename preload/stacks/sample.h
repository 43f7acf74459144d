/* SPDX-License-Identifier: MIT */
/*
 * Decides which allocations have a stack under INTERCEPT_STACKS_EVERY. The bytes that a thread
 * allocates are sampled as a Poisson process with one point in `every` bytes on average. An
 * allocation that contains a point is sampled. So an allocation of s bytes is sampled with
 * probability 1 - exp(-s / every), whatever came before it, and the report divides by that
 * (report/heap/estimate.h). An allocation of 0 bytes counts as one byte.
 *
 * The data belongs to the thread. If a signal handler interrupts, a distance may be lost, which
 * does no harm because the process has no memory. No lock, no libm, no libc.
 */
#ifndef PRELOAD_STACKS_SAMPLE_H
#define PRELOAD_STACKS_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

struct sample {
	uint64_t left; /* bytes up to and including the next point; never 0 */
	uint64_t seed;
};

/*
 * Draws the bytes from one point to the next, at least 1: exponentially distributed with mean
 * `every`, which is below 2^32. Uses the next number of `seed`.
 */
uint64_t sample_distance(uint64_t *seed, uint64_t every);

/* The same from a number that is uniform over 1 to 2^64 - 1. */
uint64_t sample_distance_of(uint64_t uniform, uint64_t every);

void sample_begin(struct sample *sample, uint64_t seed, uint64_t every);

/* True if a point falls into this allocation. */
static inline bool sample_hits(struct sample *sample, uint64_t bytes, uint64_t every)
{
	uint64_t weighed = bytes ? bytes : 1;
	uint64_t left = __atomic_load_n(&sample->left, __ATOMIC_RELAXED);

	/*
	 * `left` is read once. If it were read again after a handler changed it, it could go below
	 * 0, and no point would follow
	 */
	if (__builtin_expect(weighed < left, 1)) {
		__atomic_store_n(&sample->left, left - weighed, __ATOMIC_RELAXED);
		return false;
	}
	sample->left = sample_distance(&sample->seed, every);
	return true;
}

#endif
