/* SPDX-License-Identifier: MIT */
/*
 * A table of addresses with open addressing: a block may stand in any of PROBES places from its
 * hash on. Places become free in any order, so all of them are looked at; that happens only after
 * the filter has said yes. Slots are claimed by compare-and-swap. The filter counts, so that the
 * death of one block does not hide another.
 */
#include "preload/heap/sampled_blocks.h"

#include <stddef.h>
#include <sys/mman.h>

#include "preload/stacks/pages.h"

#define PROBES 64u
#define FILTER_FULL UINT8_MAX /* so many that nobody counts down any more */

struct sampled_blocks *sampled_blocks;

bool sampled_blocks_begin(void)
{
	if (!sampled_blocks)
		sampled_blocks = pages_map(sizeof(*sampled_blocks));
	return sampled_blocks;
}

void sampled_blocks_forget(void)
{
	if (!sampled_blocks || madvise(sampled_blocks, sizeof(*sampled_blocks), MADV_DONTNEED) == 0)
		return;
	for (size_t i = 0; i < sizeof(sampled_blocks->filter); i++)
		__atomic_store_n(&sampled_blocks->filter[i], 0, __ATOMIC_RELAXED);
	for (size_t i = 0; i < SAMPLED_BLOCKS; i++)
		__atomic_store_n(&sampled_blocks->address[i], 0, __ATOMIC_RELAXED);
}

static uint32_t sampled_hash(uint64_t address)
{
	return (uint32_t)(address * 0x9e3779b97f4a7c15u >> (64 - SAMPLED_BLOCKS_BITS));
}

static uint64_t *sampled_slot(uint32_t hash, uint32_t probe)
{
	return &sampled_blocks->address[(hash + probe) & (SAMPLED_BLOCKS - 1)];
}

/* Returns the slot of the block, or NULL. */
static uint64_t *sampled_find(uint64_t address)
{
	uint32_t hash = sampled_hash(address);

	for (uint32_t i = 0; i < PROBES; i++) {
		uint64_t *slot = sampled_slot(hash, i);

		if (__atomic_load_n(slot, __ATOMIC_RELAXED) == address)
			return slot;
	}
	return NULL;
}

static void filter_change(const void *block, int by)
{
	uint8_t *place = &sampled_blocks->filter[sampled_place(block)];
	uint8_t was = __atomic_load_n(place, __ATOMIC_RELAXED);

	while (was != FILTER_FULL &&
	       !__atomic_compare_exchange_n(place, &was, (uint8_t)(was + by), false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

bool sampled_blocks_put(const void *block)
{
	uint64_t address = (uintptr_t)block;
	uint32_t hash = sampled_hash(address);

	if (sampled_blocks_have(block))
		return true;
	for (uint32_t i = 0; i < PROBES; i++) {
		uint64_t *slot = sampled_slot(hash, i), empty = 0;

		if (__atomic_load_n(slot, __ATOMIC_RELAXED) ||
		    !__atomic_compare_exchange_n(slot, &empty, address, false, __ATOMIC_RELAXED,
						 __ATOMIC_RELAXED))
			continue;
		filter_change(block, 1);
		return true;
	}
	return false;
}

bool sampled_blocks_have(const void *block)
{
	return sampled_blocks_may_have(block) && sampled_find((uintptr_t)block);
}

bool sampled_blocks_take(const void *block)
{
	uint64_t *slot = sampled_blocks_may_have(block) ? sampled_find((uintptr_t)block) : NULL;

	if (!slot)
		return false;
	filter_change(block, -1);
	__atomic_store_n(slot, 0, __ATOMIC_RELAXED);
	return true;
}
