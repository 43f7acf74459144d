/* SPDX-License-Identifier: MIT */
/*
 * The code that a process has mapped, ordered by time: first from /proc/PID/maps, then from the
 * kernel's records of new mappings, each of which replaces what was there. Plain unmappings are
 * ignored, because no code runs there. One thread.
 */
#ifndef COLLECTOR_NATIVE_MAPPINGS_H
#define COLLECTOR_NATIVE_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/native/tables.h"

#define MAPPINGS_MAX 16384u

struct mapping {
	uint64_t start, end, offset;
	uint32_t file; /* number in tables.h; 0: no file, for example code made at run time */
};

struct mappings {
	struct mapping *mapping; /* sorted, disjoint; owned */
	uint32_t count, room;
	uint32_t recent; /* the mapping found last */
};

/* All zeros is an empty table. Returns false if the process's maps cannot be read. */
bool mappings_read(struct mappings *mappings, struct tables *tables, uint32_t pid);
void mappings_release(struct mappings *mappings);

/* True if code of another file, or of another part of it, is known there, and so is gone. */
bool mappings_replaces(const struct mappings *mappings, const struct mapping *fresh);
/* Returns false if there is no room. */
bool mappings_put(struct mappings *mappings, const struct mapping *fresh);

/* Returns NULL if no code is mapped there. */
const struct mapping *mappings_find(struct mappings *mappings, uint64_t address);

#endif
