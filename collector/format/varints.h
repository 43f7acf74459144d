/* SPDX-License-Identifier: MIT */
/*
 * Columns of short numbers, many at once: varints of one or two bytes, which nearly all are, become
 * 16-bit values with a few instructions for sixteen bytes; longer ones are kept apart. For the reader
 * of blocks, where this is half the work. Never reads outside of the cursor. One thread.
 */
#ifndef COLLECTOR_FORMAT_VARINTS_H
#define COLLECTOR_FORMAT_VARINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/codec.h"

#define VARINTS_LATE UINT16_MAX /* in `value`: the number stands in `late` */

/* For each set of eight lanes the shuffle that moves them to the front. */
struct varint_lanes {
	bool usable; /* the processor has what it takes */
	uint8_t shuffle[256][16];
};

void varint_lanes_init(struct varint_lanes *lanes);

/* What was unpacked last. Zero-initialised is empty; memory grows to what one column needed. */
struct varints {
	uint16_t *value;
	uint64_t *late;
	size_t room, late_room;

	const uint16_t *next; /* for varints_next() */
	const uint64_t *next_late;
};

void varints_release(struct varints *varints);

/*
 * Unpacks `count` numbers, all that the column must hold: EVT_CORRUPT when it ends before or after
 * them, EVT_NO_MEMORY.
 */
int varints_unpack(struct varints *varints, const struct varint_lanes *lanes, struct cursor *column,
		   size_t count);

/* The next of them; at most as often as `count` said. */
static inline uint64_t varints_next(struct varints *varints)
{
	uint64_t value = *varints->next++;

	if (__builtin_expect(value == VARINTS_LATE, 0))
		return *varints->next_late++;
	return value;
}

#endif
