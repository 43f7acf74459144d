/* SPDX-License-Identifier: MIT */
/*
 * Reads bytes forward. After the first invalid value it is marked as failed and returns zeroes.
 */
#ifndef COLLECTOR_CFI_CURSOR_H
#define COLLECTOR_CFI_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CURSOR_NUMBER_BITS 35u /* limit for a LEB128: the numbers here are small */

struct cursor {
	const uint8_t *at, *end;
	bool bad;
};

static inline uint64_t cursor_take(struct cursor *c, unsigned int bytes)
{
	uint64_t value = 0;

	if (c->bad || (size_t)(c->end - c->at) < bytes) {
		c->bad = true;
		return 0;
	}
	memcpy(&value, c->at, bytes);
	c->at += bytes;
	return value;
}

static inline void cursor_skip(struct cursor *c, uint64_t bytes)
{
	if (c->bad || (uint64_t)(c->end - c->at) < bytes)
		c->bad = true;
	else
		c->at += bytes;
}

/* Reads a LEB128. `ret_sign` is the value of its sign bit, for signed numbers. */
static inline uint64_t cursor_leb(struct cursor *c, uint64_t *ret_sign)
{
	uint64_t value = 0;

	*ret_sign = 0;
	for (unsigned int shift = 0; shift < CURSOR_NUMBER_BITS; shift += 7) {
		uint64_t byte = cursor_take(c, 1);

		value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret_sign = 0x40ull << shift;
			return value;
		}
	}
	c->bad = true;
	return 0;
}

static inline uint64_t cursor_number(struct cursor *c)
{
	uint64_t sign;

	return cursor_leb(c, &sign);
}

static inline int64_t cursor_signed(struct cursor *c)
{
	uint64_t sign;
	uint64_t value = cursor_leb(c, &sign);

	return value & sign ? (int64_t)(value - 2 * sign) : (int64_t)value;
}

#endif
