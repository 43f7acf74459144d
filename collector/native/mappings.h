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
	uint32_t file; /* of tables.h; 0: of no file, as code that is made at run time */
};

struct mappings {
	struct mapping *mapping; /* sorted, disjoint; owned */
	uint32_t count, room;
	uint32_t recent; /* the one that was found last */
};

/* All zeros is empty. False: its maps cannot be read. */
bool mappings_read(struct mappings *mappings, struct tables *tables, uint32_t pid);
void mappings_release(struct mappings *mappings);

/* Code of another file, or another part of it, is known there: it has gone. */
bool mappings_replaces(const struct mappings *mappings, const struct mapping *fresh);
/* False: there is no room. */
bool mappings_put(struct mappings *mappings, const struct mapping *fresh);

/* NULL: no code is mapped there. */
const struct mapping *mappings_find(struct mappings *mappings, uint64_t address);

#endif
