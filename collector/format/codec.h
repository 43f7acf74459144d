/* SPDX-License-Identifier: MIT */
/*
 * The bytes of the format: little-endian words, varints and zigzag, through a cursor that never
 * leaves its bounds. Every length or count read from a file goes through here.
 *
 * Writing: the caller has made room (CODEC_VARINT_MAX bytes per number); put_ functions return the
 * next free byte. Reading: a get_ function that fails sets cursor.failed and returns 0. The caller
 * checks this once per unit, before it acts on what it read.
 */
#ifndef COLLECTOR_FORMAT_CODEC_H
#define COLLECTOR_FORMAT_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CODEC_VARINT_MAX 10 /* length of the longest 64-bit varint */

static inline uint8_t *put_u32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value)); /* x86-64 only: the machine's byte order is the file's */
	return at + sizeof(value);
}

static inline uint8_t *put_u64(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

static inline uint8_t *put_varint(uint8_t *at, uint64_t value)
{
	while (value >= 0x80) {
		*at++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*at++ = (uint8_t)value;
	return at;
}

static inline uint64_t zigzag(int64_t value)
{
	return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

static inline int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

struct cursor {
	const uint8_t *at;
	const uint8_t *end;
	bool failed;
};

static inline struct cursor cursor_of(const void *bytes, size_t length)
{
	/* an offset must not be added to NULL, not even 0 */
	return (struct cursor){ bytes, length ? (const uint8_t *)bytes + length : bytes, false };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->at);
}

/* Returns the bytes [at, at + length) and moves the cursor behind them, or NULL. */
static inline const uint8_t *get_bytes(struct cursor *c, uint64_t length)
{
	const uint8_t *at = c->at;

	if (length > cursor_left(c)) {
		c->failed = true;
		return NULL;
	}
	c->at = length ? at + length : at; /* for a missing column: see cursor_of() */
	return at;
}

static inline uint32_t get_u32(struct cursor *c)
{
	const uint8_t *at = get_bytes(c, sizeof(uint32_t));
	uint32_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

static inline uint64_t get_u64(struct cursor *c)
{
	const uint8_t *at = get_bytes(c, sizeof(uint64_t));
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

/*
 * Reads the rest of a varint of two bytes or more. Not inlined, so that the one-byte case can be.
 */
static inline uint64_t get_varint_long(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 70 && c->at < c->end; shift += 7) {
		uint8_t byte = *c->at++;

		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	c->failed = true;
	return 0;
}

static inline uint64_t get_varint(struct cursor *c)
{
	if (__builtin_expect(c->at < c->end && *c->at < 0x80, 1))
		return *c->at++;
	return get_varint_long(c);
}

#endif
