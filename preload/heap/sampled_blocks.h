/* SPDX-License-Identifier: MIT */
/*
 * Which blocks of the heap are in the sample (INTERCEPT_HEAP_EVERY), so that free() knows whether
 * the death of a block is to be recorded. A block is put in before the program gets its address,
 * and taken out before the allocator gets it back, so only its owner asks for an address.
 *
 * Nearly every block that is freed is not in the sample: one byte of the filter tells. Bounded: at
 * most SAMPLED_BLOCKS live at a time, in address space of which only touched pages take memory. Any
 * thread, signal handlers too; no lock, no allocation. A forked child begins with none.
 */
#ifndef PRELOAD_HEAP_SAMPLED_BLOCKS_H
#define PRELOAD_HEAP_SAMPLED_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"

#define SAMPLED_BLOCKS_BITS 18u
#define SAMPLED_BLOCKS (1u << SAMPLED_BLOCKS_BITS)
#define SAMPLED_FILTER_BITS 18u

struct sampled_blocks {
	/* by place: how many blocks of the sample have it; the highest number stays */
	uint8_t filter[1u << SAMPLED_FILTER_BITS];
	uint64_t address[SAMPLED_BLOCKS]; /* 0: free */
};

/* NULL until sampled_blocks_begin(). */
PRELOAD_HIDDEN extern struct sampled_blocks *sampled_blocks;

/* Maps the memory. Call while the heap's gates are shut. Returns false if there is none. */
bool sampled_blocks_begin(void);
/* Call in a forked child: its blocks are not known. */
void sampled_blocks_forget(void);

/* Neighbours have neighbouring places, so that blocks in use share a cache line of the filter. */
static inline uint32_t sampled_place(const void *block)
{
	uint64_t address = (uintptr_t)block >> 4;

	return (uint32_t)(address ^ address >> SAMPLED_FILTER_BITS) &
	       ((1u << SAMPLED_FILTER_BITS) - 1);
}

/* False: the block is not in the sample. True: nearly always it is. */
static inline bool sampled_blocks_may_have(const void *block)
{
	return __atomic_load_n(&sampled_blocks->filter[sampled_place(block)], __ATOMIC_RELAXED);
}

/* Returns false if there is no room. Putting a block in twice is the same as once. */
bool sampled_blocks_put(const void *block);
bool sampled_blocks_have(const void *block);
/* Takes the block out. Returns false if it is not in the sample. */
bool sampled_blocks_take(const void *block);

#endif
