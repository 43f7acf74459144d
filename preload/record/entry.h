/* SPDX-License-Identifier: MIT */
/*
 * This process's entry in the region's process table: how it is claimed, what it holds, and what
 * is counted there. process.h decides when; this file only handles the table.
 *
 * An entry's state says who may touch it (region.h, enum region_process_state). The region is
 * not owned. Before entry_begin() there is no entry, and counts are dropped. Any thread; no
 * lock, no allocation, plain system calls only, because hooks of the heap come here.
 */
#ifndef PRELOAD_RECORD_ENTRY_H
#define PRELOAD_RECORD_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/region/region.h"

#define ENTRY_NONE UINT32_MAX

enum entry_lost {
	ENTRY_LOST_NO_RING,
	ENTRY_LOST_NESTED,
	ENTRY_LOST_EARLY,
	ENTRY_LOST_STACK,
	ENTRY_LOST_SAMPLED,
};

/*
 * Takes the region and this process's entry in it. `own_rank` is region_rank() of this process and
 * its forked children. Returns 0, or -ENOSPC if the table is full.
 */
int entry_begin(struct region_header *header, const struct region_shape *shape, uint64_t own_rank,
		uint32_t *ret_entry);
/* The address of the region in this process; NULL before entry_begin(). */
struct region_header *entry_region(void);
/* The region has another address in this process from now on. */
void entry_region_moved(struct region_header *moved);

/*
 * Claims a free entry and moves it to `state`; its parent is the current process. Returns
 * ENTRY_NONE if all are in use (counted).
 */
uint32_t entry_claim(uint32_t state);
/*
 * Moves an entry from REGION_PROCESS_PENDING to REGION_PROCESS_FILLING. Returns false if the
 * collector has given it up.
 */
bool entry_confirm(uint32_t entry);
/* Makes an entry in state REGION_PROCESS_FILLING this process's own. */
void entry_take(uint32_t entry);

/*
 * For a process that finds out its rank later: sets region_rank() of it and of the children it
 * forks from now on.
 */
void entry_take_rank(uint64_t own_rank);

/* Returns this process's entry, or NULL. */
struct region_process *entry_own(void);
/* True if this process took the entry itself, and did not inherit it from a parent. */
bool entry_is_own(void);

uint32_t entry_serial(uint32_t entry);
void entry_count_lost(enum entry_lost what);
void entry_count_wait(void);
/*
 * Adds a limitation to this process and to the children it forks from now on, as bit 1 << enum
 * limitation.
 */
void entry_add_limitation(unsigned int what);

#endif
