/* SPDX-License-Identifier: MIT */
/*
 * What belongs to a stack where stacks are a sample (INTERCEPT_STACKS_EVERY,
 * preload/stacks/sample.h): an allocation of s bytes had its stack with probability p = 1 - exp(-s
 * / every), and so stands for 1 / p allocations of s bytes. The expected value of such a sum is
 * what a recording of all stacks would have had (Horvitz and Thompson, 1952).
 *
 * Kept beside the rows of a heap by stack, which stay counts. A row of a process that has all
 * stacks counts fully; one that has a caller only, in a process of samples, is nothing: sampled
 * ones stand for its blocks. Nothing is kept before the first sampled stack.
 *
 * Numbers are in 1 / ESTIMATE_ONE, so that what is added at an allocation goes away at its free.
 */
#ifndef REPORT_HEAP_ESTIMATE_H
#define REPORT_HEAP_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ESTIMATE_ONE 1024u

struct heap;
struct heap_op;

enum estimate_of {
	ESTIMATE_OF_NOTHING,
	ESTIMATE_OF_ALL,
	ESTIMATE_OF_SAMPLE,
};

struct estimate_amount {
	uint64_t allocations, bytes;
};

struct heap_estimate {
	struct estimate_amount all, live, peak, kept;
	uint64_t peak_seen; /* as in struct heap_row */
	uint64_t every;
	enum estimate_of of;
};

/* What an allocation of that size stands for, in 1 / ESTIMATE_ONE. */
struct estimate_amount estimate_weigh(uint64_t size, uint64_t every);

/* To the nearest whole number. */
static inline uint64_t estimate_whole(uint64_t amount)
{
	return (amount + ESTIMATE_ONE / 2) / ESTIMATE_ONE;
}

struct heap_row;
/*
 * Of a heap by stack: source_stack_or_caller() made the row's. A stack of one frame that is not cut
 * is taken for a caller, too.
 */
bool estimate_is_caller(const struct heap *heap, const struct heap_row *row);

/* A heap by stack has a new row, the last. */
void estimate_add_row(struct heap *heap, uint32_t process);

/* Where heap->estimate is kept: the row's allocation, and what becomes of its block. */
void estimate_count(struct heap *heap, uint32_t row, uint64_t size);
void estimate_live_add(struct heap *heap, uint32_t row, uint64_t size);
void estimate_live_drop(struct heap *heap, uint32_t row, uint64_t size);
void estimate_keep(struct heap *heap, uint32_t row, uint64_t size);
/* Once all was taken; `has_kept`: what is kept has been said block by block. */
void estimate_finish(struct heap *heap, bool has_kept);

void estimate_join(struct heap_estimate *into, const struct heap_estimate *from);

#endif
