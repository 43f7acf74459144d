/* SPDX-License-Identifier: MIT */
/*
 * Estimates for stacks that are a sample (INTERCEPT_STACKS_EVERY, preload/stacks/sample.h). An
 * allocation of s bytes had its stack recorded with probability p = 1 - exp(-s / every), so it
 * stands for 1 / p allocations of s bytes. The expected value of such a sum is the value that a
 * recording of all stacks would have (Horvitz and Thompson, 1952).
 *
 * Estimates are kept beside the rows of a heap by stack, which still have exact counts. A row of a
 * process that records all stacks counts fully. In a process that samples stacks, a row that has
 * only a caller counts as nothing, because the sampled stacks stand for its blocks. Nothing is kept
 * before the first sampled stack.
 *
 * Numbers are in units of 1 / ESTIMATE_ONE, so a free subtracts exactly what its allocation added.
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

/* Returns what an allocation of that size stands for, in units of 1 / ESTIMATE_ONE. */
struct estimate_amount estimate_weigh(uint64_t size, uint64_t every);

/* Rounds to the nearest integer. */
static inline uint64_t estimate_whole(uint64_t amount)
{
	return (amount + ESTIMATE_ONE / 2) / ESTIMATE_ONE;
}

struct heap_row;
/*
 * For a heap by stack whose rows come from source_stack_or_caller(). A complete stack of one frame
 * is taken for a caller, too.
 */
bool estimate_is_caller(const struct heap *heap, const struct heap_row *row);

/* The heap by stack has a new row, the last one. */
void estimate_add_row(struct heap *heap, uint32_t process);

/* If heap->estimate is kept: counts an allocation of the row, and follows its block. */
void estimate_count(struct heap *heap, uint32_t row, uint64_t size);
void estimate_live_add(struct heap *heap, uint32_t row, uint64_t size);
void estimate_live_drop(struct heap *heap, uint32_t row, uint64_t size);
void estimate_keep(struct heap *heap, uint32_t row, uint64_t size);
/* To be called after the reading; `has_kept`: what was kept has been reported block by block. */
void estimate_finish(struct heap *heap, bool has_kept);

void estimate_join(struct heap_estimate *into, const struct heap_estimate *from);

#endif
