/* SPDX-License-Identifier: MIT */
/*
 * What a block of a sample of the heap stands for (INTERCEPT_HEAP_EVERY,
 * preload/heap/heap_sample.h). An allocation of s bytes was recorded with probability p = 1 -
 * exp(-s / every), so it stands for 1 / p allocations of s bytes, and the expected value of a sum
 * of such is the sum over all of them (Horvitz and Thompson, 1952). The variance of a sum of bytes
 * is estimated by the sum of s * s * (1 - p) / (p * p).
 *
 * Numbers of blocks have a fraction: they are in units of 1 / ESTIMATE_ONE, and a counter keeps
 * whole blocks, and what is left in a fraction of its own.
 */
#ifndef REPORT_HEAP_WEIGHT_H
#define REPORT_HEAP_WEIGHT_H

#include <stdint.h>

struct weight {
	uint64_t blocks; /* in units of 1 / ESTIMATE_ONE */
	uint64_t bytes;
	double variance; /* of the bytes */
};

/* `every` 0: each allocation was recorded, and stands for itself. */
struct weight weight_of(uint64_t size, uint64_t every);

/* Adds the blocks to a counter, or takes them away. */
void weight_count(uint64_t *counter, uint16_t *fraction, uint64_t blocks);
void weight_discount(uint64_t *counter, uint16_t *fraction, uint64_t blocks);

/* The standard error of a sum with that variance, in whole bytes. */
uint64_t weight_error(double variance);

#endif
