/* SPDX-License-Identifier: MIT */
/*
 * Writes into a column: front to back, through a bare pointer. The caller has made room. A value is
 * stored as a whole word and then cut to its length, for which COLUMN_SLACK leaves room.
 */
#ifndef COLLECTOR_FORMAT_COLUMN_H
#define COLLECTOR_FORMAT_COLUMN_H

#include <stdint.h>
#include <string.h>

#include "collector/format/codec.h"

#define COLUMN_SLACK 16u

struct column {
	uint8_t *start;
	uint8_t *at;
	uint8_t *end;
};

/* Not inlined, so that the short case stays small where it is inlined. */
void column_put_long(struct column *column, uint64_t value);

/* For values that nearly always take one byte. */
static inline void column_put(struct column *column, uint64_t value)
{
	if (__builtin_expect(value < 0x80, 1))
		*column->at++ = (uint8_t)value;
	else
		column_put_long(column, value);
}

/* Writes a varint of one or two bytes without a branch; returns its length. */
static inline uint32_t put_two(uint8_t *at, uint32_t value)
{
	uint32_t two = value >= 0x80;
	/* the upper bits move up by one, which is the same as adding them once more */
	uint16_t bytes = (uint16_t)(value + (value & 0x3f80) + (two << 7));

	memcpy(at, &bytes, sizeof(bytes));
	return 1 + two;
}

/* For values of one or two bytes, in an order that a branch predictor cannot guess. */
static inline void column_put_short(struct column *column, uint64_t value)
{
	if (__builtin_expect(value < 0x4000, 1))
		column->at += put_two(column->at, (uint32_t)value);
	else
		column_put_long(column, value);
}

#endif
