/* SPDX-License-Identifier: MIT */
/*
 * The latest births (or deaths) of a block, so that the next death (or birth) can name one by how
 * long ago it was. Writer's side: finding an address in one step. The index may forget addresses and
 * keeps entries of earlier blocks; a find is checked against the trail itself, so that only the
 * trail, which the reader has too, decides what is written.
 */
#ifndef COLLECTOR_FORMAT_HEAP_TRAIL_H
#define COLLECTOR_FORMAT_HEAP_TRAIL_H

#include <stdint.h>

#include "collector/format/layout.h"

#define TRAIL_INDEX_BITS 13u /* twice the window */

struct heap_trail {
	uint32_t count;    /* in this block */
	uint64_t last_far; /* last address that had to be spelled out */
	uint64_t address[HEAP_WINDOW];
	uint16_t index[1u << TRAIL_INDEX_BITS]; /* place in `address` where it stood last */
};

static inline uint32_t trail_slot(uint64_t address)
{
	return (uint32_t)((address >> 4) * 0x9e3779b1u) >> (32 - TRAIL_INDEX_BITS);
}

static inline void trail_begin(struct heap_trail *trail)
{
	trail->count = 0;
	trail->last_far = 0;
}

static inline void trail_add(struct heap_trail *trail, uint64_t address)
{
	uint32_t place = trail->count++ % HEAP_WINDOW;

	trail->address[place] = address;
	trail->index[trail_slot(address)] = (uint16_t)place;
}

/* 1 for the latest, 2 for the one before, ...; 0 when it is not known. */
static inline uint32_t trail_find(const struct heap_trail *trail, uint64_t address)
{
	uint32_t place = trail->index[trail_slot(address)];
	uint32_t ago = (trail->count - 1 - place) % HEAP_WINDOW + 1;

	/* no branch: whether it is found is as good as random */
	return ago & (0u - (uint32_t)((trail->address[place] == address) & (ago <= trail->count)));
}

#endif
