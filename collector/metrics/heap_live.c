/* SPDX-License-Identifier: MIT */
/*
 * Open addressing with linear probing; a removed entry is filled by those behind it. Sizes and
 * addresses come from the program and may be any number: sums wrap at worst.
 */
#include "collector/metrics/heap_live.h"

#include <stdlib.h>

#define SLOTS_FIRST 4096u
#define SHIFT_FIRST 4u
#define SHIFT_MAX 40u
#define LARGE_FIRST (64u << 10)
#define LARGE_GROWS 2u /* bits */
#define HEAP_BITS 6u

_Static_assert(HEAP_LIVE_HEAPS == 1u << HEAP_BITS, "a slot has room for the heap's number");

static uint64_t live_slot_bytes(const struct heap_live_slot *slot)
{
	return slot->bytes >> HEAP_BITS;
}

static unsigned int live_slot_heap(const struct heap_live_slot *slot)
{
	return (unsigned int)(slot->bytes & (HEAP_LIVE_HEAPS - 1));
}

static uint64_t live_slot_hash(const struct heap_live_slot *slot)
{
	return heap_live_hash(slot->address, live_slot_heap(slot));
}

/* The upper bits are 0 for sampled blocks. */
static uint32_t home_of(const struct heap_live *live, uint64_t hash)
{
	return (uint32_t)(hash >> 12) & (live->slots - 1);
}

int heap_live_init(struct heap_live *live)
{
	*live = (struct heap_live){ .slots = SLOTS_FIRST,
				    .down = 64 - SHIFT_FIRST,
				    .large_bytes = LARGE_FIRST };
	live->slot = calloc(live->slots, sizeof(*live->slot));
	return live->slot ? 0 : -1;
}

void heap_live_release(struct heap_live *live)
{
	free(live->slot);
	live->slot = NULL;
}

static bool heap_live_is_large(const struct heap_live *live, const struct heap_live_slot *slot)
{
	return live_slot_bytes(slot) >= live->large_bytes;
}

static void live_sum_add(struct heap_live *live, const struct heap_live_slot *slot, bool adds)
{
	struct heap_live_sum *sum = &live->sum[live_slot_heap(slot)];
	bool large = heap_live_is_large(live, slot);
	uint64_t bytes = adds ? live_slot_bytes(slot) : 0 - live_slot_bytes(slot);
	uint8_t *filter = &live->filter[heap_live_filter_of(live_slot_hash(slot))];

	*(large ? &sum->large_bytes : &sum->small_bytes) += bytes;
	sum->blocks += adds ? 1u : UINT32_MAX;
	if (large && *filter < UINT8_MAX)
		*filter = (uint8_t)(adds ? *filter + 1 : *filter - 1);
}

/* The slot of the block, or the empty one where it belongs. */
static uint32_t slot_find(const struct heap_live *live, unsigned int heap, uint64_t address)
{
	uint32_t at = home_of(live, heap_live_hash(address, heap));

	while (live->slot[at].address &&
	       (live->slot[at].address != address || live_slot_heap(&live->slot[at]) != heap))
		at = (at + 1) & (live->slots - 1);
	return at;
}

static void slot_empty(struct heap_live *live, uint32_t at)
{
	uint32_t hole = at;

	live_sum_add(live, &live->slot[at], false);
	live->used--;
	for (;;) {
		uint32_t home;

		at = (at + 1) & (live->slots - 1);
		if (!live->slot[at].address)
			break;
		home = home_of(live, live_slot_hash(&live->slot[at]));
		if (((at - home) & (live->slots - 1)) < ((at - hole) & (live->slots - 1)))
			continue;
		live->slot[hole] = live->slot[at];
		hole = at;
	}
	live->slot[hole] = (struct heap_live_slot){ 0 };
}

/* Enters all blocks again that count now, into a table of `slots`. */
static bool heap_live_rebuild(struct heap_live *live, uint32_t slots)
{
	struct heap_live old = *live;
	struct heap_live_slot *slot = calloc(slots, sizeof(*slot));

	if (!slot)
		return false;
	live->slot = slot;
	live->slots = slots;
	live->used = 0;
	for (unsigned int i = 0; i < HEAP_LIVE_HEAPS; i++)
		live->sum[i] = (struct heap_live_sum){ 0 };
	for (unsigned int i = 0; i < HEAP_LIVE_FILTER; i++)
		live->filter[i] = 0;
	for (uint32_t i = 0; i < old.slots; i++) {
		const struct heap_live_slot *was = &old.slot[i];

		if (!was->address ||
		    (live_slot_hash(was) >> live->down && !heap_live_is_large(live, was)))
			continue;
		live->slot[slot_find(live, live_slot_heap(was), was->address)] = *was;
		live->used++;
		live_sum_add(live, was, true);
	}
	free(old.slot);
	return true;
}

/* Makes room for one more; the table is at most half full afterwards. */
static bool heap_live_make_room(struct heap_live *live)
{
	while (live->used + 1 > live->slots / 2) {
		uint32_t slots = live->slots;

		if (slots < HEAP_LIVE_SLOTS_MAX) {
			slots *= 2;
		} else if (live->down > 64 - SHIFT_MAX) {
			uint32_t before = live->used;

			live->down--;
			if (!heap_live_rebuild(live, slots))
				return false;
			if (live->used > before - before / 8) /* large ones fill it */
				live->large_bytes <<= LARGE_GROWS;
		} else {
			return false;
		}
		if (!heap_live_rebuild(live, slots))
			return false;
	}
	return true;
}

void heap_live_insert(struct heap_live *live, unsigned int heap, uint64_t address, uint64_t bytes)
{
	struct heap_live_slot slot = { address, bytes << HEAP_BITS | heap };
	uint32_t at;

	if (!address || live->failed)
		return;
	at = slot_find(live, heap, address);
	if (live->slot[at].address) /* its free() was lost */
		slot_empty(live, at);
	if (!heap_live_make_room(live)) {
		live->failed = true;
		return;
	}
	if (heap_live_hash(address, heap) >> live->down && !heap_live_is_large(live, &slot))
		return;
	live->slot[slot_find(live, heap, address)] = slot;
	live->used++;
	live_sum_add(live, &slot, true);
}

void heap_live_remove(struct heap_live *live, unsigned int heap, uint64_t address)
{
	uint32_t at;

	if (!address)
		return;
	at = slot_find(live, heap, address);
	if (live->slot[at].address)
		slot_empty(live, at);
}

void heap_live_forget(struct heap_live *live, unsigned int heap)
{
	for (uint32_t i = 0; i < live->slots && live->sum[heap].blocks; i++) {
		/* the hole is filled by one behind it, which may be of this heap, too */
		while (live->slot[i].address && live_slot_heap(&live->slot[i]) == heap)
			slot_empty(live, i);
	}
	/* those that wrapped around to before the place of their removal */
	for (uint32_t i = 0; i < live->slots && live->sum[heap].blocks; i++) {
		while (live->slot[i].address && live_slot_heap(&live->slot[i]) == heap)
			slot_empty(live, i);
	}
}

uint64_t heap_live_bytes(const struct heap_live *live, unsigned int heap)
{
	const struct heap_live_sum *sum = &live->sum[heap];

	return sum->large_bytes + (sum->small_bytes << (64 - live->down));
}
