/* SPDX-License-Identifier: MIT */
/*
 * An estimate of the live bytes of heaps, in bounded memory and a few instructions an event.
 * Blocks of at least `large_bytes` are all counted. Of the smaller ones a sample is: the blocks
 * whose hashed address begins with `shift` zero bits. A free() of a block is recognised by the
 * same hash, so it needs no table unless the block was counted. When the table is full, `shift`
 * and, if that is not enough, `large_bytes` grow.
 *
 * A heap has a number below HEAP_LIVE_HEAPS. One thread.
 */
#ifndef COLLECTOR_METRICS_HEAP_LIVE_H
#define COLLECTOR_METRICS_HEAP_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#define HEAP_LIVE_HEAPS 64u
#define HEAP_LIVE_SLOTS_MAX (1u << 17) /* half of them are used */
#define HEAP_LIVE_FILTER 4096u

struct heap_live {
	struct heap_live_slot {
		uint64_t address; /* 0: empty */
		uint64_t bytes;   /* above the number of the heap */
	} * slot;
	uint32_t slots; /* power of two */
	uint32_t used;
	unsigned int down; /* 64 - shift: a sampled hash is 0 after a shift by it */
	uint64_t large_bytes;
	struct heap_live_sum {
		uint64_t large_bytes, small_bytes; /* small: of the sample */
		uint32_t blocks;
	} sum[HEAP_LIVE_HEAPS];
	uint8_t filter[HEAP_LIVE_FILTER]; /* large blocks by hash; 255 stays */
	bool failed;                      /* no memory: nothing is known */
};

int heap_live_init(struct heap_live *live);
void heap_live_release(struct heap_live *live);
/* Forgets the blocks of a heap: its process is gone. */
void heap_live_forget(struct heap_live *live, unsigned int heap);
/* The estimate for a heap. */
uint64_t heap_live_bytes(const struct heap_live *live, unsigned int heap);

void heap_live_insert(struct heap_live *live, unsigned int heap, uint64_t address, uint64_t bytes);
void heap_live_remove(struct heap_live *live, unsigned int heap, uint64_t address);

/* Addresses of blocks are multiples of 16, and the heap is in their lowest bits. */
static inline uint64_t heap_live_hash(uint64_t address, unsigned int heap)
{
	return (address + heap) * 0x9e3779b97f4a7c15ull;
}

static inline unsigned int heap_live_filter_of(uint64_t hash)
{
	return hash >> 36 & (HEAP_LIVE_FILTER - 1);
}

static inline void heap_live_born(struct heap_live *live, unsigned int heap, uint64_t address,
				  uint64_t bytes)
{
	if (__builtin_expect(!(heap_live_hash(address, heap) >> live->down) ||
				     bytes >= live->large_bytes,
			     0))
		heap_live_insert(live, heap, address, bytes);
}

static inline void heap_live_dies(struct heap_live *live, unsigned int heap, uint64_t address)
{
	uint64_t hash = heap_live_hash(address, heap);

	if (__builtin_expect(!(hash >> live->down) || live->filter[heap_live_filter_of(hash)], 0))
		heap_live_remove(live, heap, address);
}

#endif
