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
};

/*
 * The region to live in and the process's entry in it; `own_rank`: region_rank() of this process and those that it
 * forks. 0 or -ENOSPC: the table is full.
 */
int entry_begin(struct region_header *header, const struct region_shape *shape, uint64_t own_rank,
		uint32_t *ret_entry);
/* The region, at the address that it has in this process; NULL before entry_begin(). */
struct region_header *entry_region(void);
/* The region has another address in this process from now on. */
void entry_region_moved(struct region_header *moved);

/* A free entry, moved to `state`, with the process of now as parent; ENTRY_NONE when all are in use (counted). */
uint32_t entry_claim(uint32_t state);
/* One claimed as REGION_PROCESS_PENDING becomes REGION_PROCESS_FILLING; false: the collector has given it up. */
bool entry_confirm(uint32_t entry);
/* One that is REGION_PROCESS_FILLING becomes this process's. */
void entry_take(uint32_t entry);

/* This process has found its rank later: region_rank() of it and of those that it forks from now on. */
void entry_take_rank(uint64_t own_rank);

/* This process's, NULL when it has none. */
struct region_process *entry_own(void);
/* The same process took it, not a parent. */
bool entry_is_own(void);

uint32_t entry_serial(uint32_t entry);
void entry_count_lost(enum entry_lost what);
void entry_count_wait(void);
/* Of this process, and of those that it forks from now on: 1 << enum limitation. */
void entry_add_limitation(unsigned int what);

#endif
