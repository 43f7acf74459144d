/* SPDX-License-Identifier: MIT */
/*
 * The latest births and deaths of a block, so that the next death (or birth) can refer to one by
 * how long ago it was. This is the writer's side: a table of addresses, each with its last birth
 * and its last death. It forgets an address when another takes its slot, which only costs bytes.
 * Entries of earlier blocks stay; `first` distinguishes them.
 */
#ifndef COLLECTOR_FORMAT_HEAP_TRAIL_H
#define COLLECTOR_FORMAT_HEAP_TRAIL_H

#include <stdint.h>
#include <string.h>

#include "collector/format/layout.h"

#define TRAIL_BITS 12u /* number of slots as a power of two: equal to the length of the window */

enum heap_side {
	HEAP_BIRTHS,
	HEAP_DEATHS,
	HEAP_SIDES,
};

struct heap_trail {
	uint32_t count[HEAP_SIDES];    /* over many blocks */
	uint32_t first[HEAP_SIDES];    /* value of `count` when the block began */
	uint64_t last_far[HEAP_SIDES]; /* last address that had to be written in full */
	struct heap_seen {
		uint64_t address;
		uint32_t place[HEAP_SIDES]; /* value of `count` when it was added last */
	} seen[1u << TRAIL_BITS];
};

static inline uint32_t trail_slot(uint64_t address)
{
	return (uint32_t)((address >> 4) * 0x9e3779b1u) >> (32 - TRAIL_BITS);
}

static inline void trail_begin(struct heap_trail *trail)
{
	/* reset long before the counts could wrap */
	if ((trail->count[HEAP_BIRTHS] | trail->count[HEAP_DEATHS]) >> 31)
		memset(trail, 0, sizeof(*trail));
	memcpy(trail->first, trail->count, sizeof(trail->first));
	memset(trail->last_far, 0, sizeof(trail->last_far));
}

/*
 * Adds the address to its side. Returns how long ago it was added to the other side, 0 being the
 * latest; HEAP_WINDOW or more if that is not known.
 */
static inline uint32_t trail_add(struct heap_trail *trail, uint32_t side, uint64_t address)
{
	struct heap_seen *seen = &trail->seen[trail_slot(address)];
	uint32_t other = !side;
	uint32_t count = trail->count[other];
	uint32_t ago = count - seen->place[other];
	uint32_t same = seen->address == address;

	/* no branches: whether it is found is almost random */
	ago |= 0u - (uint32_t)(!same | (ago >= count - trail->first[other]));
	seen->address = address;
	seen->place[side] = ++trail->count[side];
	seen->place[other] = same ? seen->place[other] : 0;
	return ago;
}

#endif
