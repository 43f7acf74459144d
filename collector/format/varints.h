/* SPDX-License-Identifier: MIT */
/*
 * Columns of short numbers, many at once. Varints of one or two bytes, as nearly all are, become
 * 16-bit values with a few instructions per sixteen bytes; longer ones are kept apart. For the
 * reader of blocks, where this is half the work. Never reads outside of the cursor. One thread.
 */
#ifndef COLLECTOR_FORMAT_VARINTS_H
#define COLLECTOR_FORMAT_VARINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/codec.h"

#define VARINTS_STRIDE 16u      /* bytes examined together; values written after the last one */
#define VARINTS_LATE UINT16_MAX /* in `value`: the number is in `late` */

/* For each set of eight lanes, the shuffle that moves them to the front. */
struct varint_lanes {
	bool usable;  /* the processor supports varints.c's vector code */
	bool is_wide; /* and that of varints_wide.h */
	uint8_t shuffle[256][16];
};

void varint_lanes_init(struct varint_lanes *lanes);

/* A number that does not fit into 16 bits, and its index in the column. */
struct varint_late {
	uint64_t value;
	uint32_t at;
};

/*
 * The result of the last unpacking. Zero-initialised is empty; memory grows to what one column
 * needed.
 */
struct varints {
	uint16_t *value;
	struct varint_late *late;
	size_t room, late_room, late_count;

	uint32_t *sum; /* see varints_add_up() */
	size_t sum_room;

	const uint16_t *next; /* for varints_next() */
	const struct varint_late *next_late;
};

void varints_release(struct varints *varints);

/*
 * Unpacks `count` numbers. The column must contain exactly these: EVT_CORRUPT if it is shorter or
 * longer. EVT_NO_MEMORY.
 */
int varints_unpack(struct varints *varints, const struct varint_lanes *lanes, struct cursor *column,
		   size_t count);

/*
 * Fills `sum`: sum[i] is the sum of the first i of the `count` numbers, without those in `late`. At
 * most 65536 numbers, so that a sum fits. EVT_NO_MEMORY.
 */
int varints_add_up(struct varints *varints, const struct varint_lanes *lanes, size_t count);

/*
 * Reads the next `count` numbers of any length from a column that may contain more. `value` must
 * have room for VARINTS_STRIDE more. If the column is too short or damaged, it fails and gives
 * zeros.
 */
void varints_take(const struct varint_lanes *lanes, struct cursor *column, uint64_t *value,
		  size_t count);

/* Returns the next number; call it at most `count` times. */
static inline uint64_t varints_next(struct varints *varints)
{
	uint64_t value = *varints->next++;

	if (__builtin_expect(value == VARINTS_LATE, 0))
		return varints->next_late++->value;
	return value;
}

#endif
