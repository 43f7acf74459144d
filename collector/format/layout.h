/* SPDX-License-Identifier: MIT */
/*
 * What the writer and the reader of blocks share, and nobody else needs: the keys of the columns
 * and the constants of the heap codecs. docs/FORMAT.md describes them. Every number here is part of
 * the file format.
 */
#ifndef COLLECTOR_FORMAT_LAYOUT_H
#define COLLECTOR_FORMAT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/block.h"

/* Keys of columns that all events share. Unknown keys below COLUMN_FIELDS are skipped. */
enum column_key {
	COLUMN_KIND = 0,         /* index into the frame's kind table */
	COLUMN_TIME = 1,         /* records outside of the heap: ns since the previous record */
	COLUMN_BORN = 2,         /* how many deaths ago this address was freed, or that it is far */
	COLUMN_BORN_ADDRESS = 3, /* addresses of the far ones */
	COLUMN_DIES = 4, /* how many births ago this address was allocated, or that it is far */
	COLUMN_DIES_ADDRESS = 5, /* addresses of the far ones */
	COLUMN_SIZE = 6,         /* 0, or the size, relative to the last one of the kind */
	COLUMN_HEAP_TIME =
		/*
		 * records of the heap: time since the previous record in units of 1 <<
		 * HEAP_TIME_BITS ns
		 */
	7,
	COLUMN_SHARED,      /* number of the keys above */
	COLUMN_FIELDS = 64, /* first key of the columns that belong to one field of one event */
};

/*
 * Below about ten ns, the time of a malloc() is noise, which does not compress and would be most of
 * a file. The remainder is kept within the record's own stream: the next difference begins where
 * this one ended. So errors do not add up, and the order within a stream is kept.
 */
#define HEAP_TIME_BITS 5u
#define HEAP_TIME_UNIT (1u << HEAP_TIME_BITS) /* ns */

/* An event with such a field has its time in these units. */
static inline bool codec_is_timed_in_units(unsigned int codec)
{
	return codec == EVT_CODEC_born || codec == EVT_CODEC_dies || codec == EVT_CODEC_block;
}

#define COLUMN_EVENT_FIELDS 16u /* keys reserved for each event number */
/* Readers index columns by id, so that columns of distant numbers are close together. */
#define COLUMN_LIMIT (COLUMN_FIELDS + EVT_ID_LIMIT * COLUMN_EVENT_FIELDS)

_Static_assert(EVT_FIELDS_MAX <= COLUMN_EVENT_FIELDS, "every field has a key");

/* `event` is the event's number for a key in a file, and its id for a reader's column. */
static inline uint32_t column_of_field(uint32_t event, uint32_t field)
{
	return COLUMN_FIELDS + event * COLUMN_EVENT_FIELDS + field;
}

/*
 * How many births and deaths of the block can be referred to. Measured: 8192 saves 0.6 % on a
 * PyTorch training and costs 0.8 % on a Python JSON loop.
 */
#define HEAP_WINDOW 4096u

/* Sizes of an allocator recur. `last` and 0 swap their codes, so that 0 means "as last". */
static inline uint64_t size_code(uint64_t size, uint64_t last)
{
	return size == last ? 0 : size == 0 ? last : size;
}

static inline uint64_t size_of_code(uint64_t code, uint64_t last)
{
	return code == 0 ? last : code == last ? 0 : code;
}

/*
 * A number relative to the last one of its column that was not 0: most are the next number, or
 * near. Three codes are permuted, so that each number has exactly one: the next number is 0, the
 * number 0 is 1, and the same number has the code that 0 would have had.
 */
#define STEP_NEXT 0u
#define STEP_ZERO 1u

static inline uint64_t step_zigzag(uint64_t difference)
{
	return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t step_code(uint64_t number, uint64_t last)
{
	uint64_t code = step_zigzag(number - last - 1), zero = step_zigzag(0 - last - 1);

	return code == zero ? STEP_ZERO : code == STEP_ZERO ? zero : code;
}

static inline uint64_t step_of_code(uint64_t code, uint64_t last)
{
	uint64_t zero = step_zigzag(0 - last - 1);

	if (code == STEP_ZERO)
		return 0;
	code = code == zero ? STEP_ZERO : code;
	return last + 1 + ((code >> 1) ^ (0 - (code & 1)));
}

static inline bool codec_is_step(unsigned int codec)
{
	return codec == EVT_CODEC_delta || codec == EVT_CODEC_serial;
}

/*
 * An address with a column of its own, relative to the last one there. Most are multiples of 16. So
 * the difference is counted in 16s, and its remaining four bits are put at the top.
 */
#define ADDRESS_ALIGN_BITS 4u
#define ADDRESS_TOP_BITS (64u - ADDRESS_ALIGN_BITS)

static inline uint64_t address_code(uint64_t address, uint64_t base)
{
	uint64_t difference = address - base;
	uint64_t low = difference % (1u << ADDRESS_ALIGN_BITS);

	return zigzag((int64_t)difference >> ADDRESS_ALIGN_BITS) | low << ADDRESS_TOP_BITS;
}

static inline uint64_t address_of_code(uint64_t code, uint64_t base)
{
	uint64_t low = code >> ADDRESS_TOP_BITS;
	uint64_t high = (uint64_t)unzigzag(code & ((1ull << ADDRESS_TOP_BITS) - 1));

	return base + (high << ADDRESS_ALIGN_BITS | low);
}

/* A kind's stack in the kind table, relative to the last one there; 0: none. */
static inline uint64_t stack_code(uint32_t node, uint32_t last)
{
	return node ? 1 + zigzag((int64_t)node - last) : 0;
}

static inline uint64_t stack_of_code(uint64_t code, uint64_t last)
{
	return code ? last + (uint64_t)unzigzag(code - 1) : 0;
}

/*
 * Codes of births and deaths. Below TRAIL_NEAR the address is far: code + 1 bytes of it are in the
 * column of addresses. From TRAIL_NEAR on, the code says how long ago the address was seen, 1 being
 * the latest.
 */
#define TRAIL_FAR_MAX 8u
#define TRAIL_NEAR (TRAIL_FAR_MAX - 1)

#endif
