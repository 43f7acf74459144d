/* SPDX-License-Identifier: MIT */
/*
 * The form of records in a ring: whole 64-bit words, fixed length per type, never across the ring's
 * end (a RECORD_PAD fills the rest there).
 *
 *   word 0   time (TSC minus region_header.base_tsc) in the upper 56 bits, type in the lower 8
 *   others   one per field, in the order of events.def; a `name` is the 64-bit hash of the string,
 *            whose bytes were sent before or will be sent as RECORD_TEXT; 0 is the empty string;
 *            a `span` is in ticks, which the collector converts to nanoseconds
 *
 * One exception, because the heap makes nine tenths of all records:
 *   type | RECORD_PACKED for malloc, calloc, realloc, memalign, pymem_alloc: 3 words
 *       word 1   address in the lower 48 bits, low 16 bits of the size above
 *       word 2   caller in the lower RECORD_CALLER_BITS, the next bits of the size above
 *     used if all of them fit (on x86-64: address and caller below 2^48, size below 2^32), else the
 *     plain form.
 *
 * RECORD_PAD, RECORD_TEXT, RECORD_FRAME, RECORD_STACK, RECORD_LINE, RECORD_UNLOADED and
 * RECORD_IN_BLOCK exist only in rings.
 *
 * Stacks. A stack is identified by its innermost frame. A frame consists of its caller's frame, an
 * address and flags. Its id has RECORD_STACK_BITS bits and is a hash of these. So it is the same in
 * forked processes, and no table in the region can fill up. The id 0 belongs to no frame: it is the
 * parent of the outermost frame. Each process defines an id once, before its first use, by a
 * RECORD_FRAME. A heap record has its stack in place of the caller, as RECORD_STACK_BIT | id, which
 * is no address of a program. Any other record has a RECORD_STACK before it; the room for both is
 * taken at once.
 *
 * A frame of Python (FRAME_IS_PYTHON) has the id of a line as its address: a hash of function, file
 * and line, which means the same in every process. A RECORD_LINE defines it, before or after.
 */
#ifndef COLLECTOR_REGION_RECORD_H
#define COLLECTOR_REGION_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/arch/arch.h"

#define RECORD_TYPE_BITS 8u
#define RECORD_PACKED 0x80u
#define RECORD_PAD 0u    /* word 0: number of words, including itself, above the type bits */
#define RECORD_TEXT 255u /* a piece of a string */
/* word 1 id, word 2 id of its parent, word 3 address, flags from RECORD_FRAME_SHIFT on */
#define RECORD_FRAME 254u
#define RECORD_STACK 253u /* word 1 id: the stack of the next record in this ring */

/* word 1 id, word 2 function, word 3 file, both names; word 4 line above first line */
#define RECORD_LINE 252u
#define RECORD_LINE_WORDS 5u

/*
 * An object with code has been unloaded. Word 1: its first address, word 2: bytes, word 3: bias, as
 * in the event module. Words 4 and 5: names of its file and its build-id in hex. Word 6: ticks when
 * it was certainly still there.
 */
#define RECORD_UNLOADED 251u
#define RECORD_UNLOADED_WORDS 7u

/* an event in a block (events.def): word 1 its number in files, then its fields */
#define RECORD_IN_BLOCK 250u
#define RECORD_IN_BLOCK_HEAD 2u /* words before the fields */

#define RECORD_STACK_BITS 47u
/* above all addresses of programs */
#define RECORD_STACK_BIT (1ull << ARCH_ADDRESS_BITS)
#define RECORD_FRAME_WORDS 4u
#define RECORD_STACK_WORDS 2u
#define RECORD_FRAME_ADDRESSES ((1ull << RECORD_FRAME_SHIFT) - 1)
#define RECORD_FRAME_SHIFT 56u /* addresses are below 2^56; flags: collector/format/frame_flags.h */

/*
 * RECORD_TEXT: word 1 hash, word 2 total length (32 bits) above the offset of this piece, then
 * RECORD_TEXT_WORDS words of bytes, zero-filled. All pieces of one string follow each other in one
 * ring. Strings are cut at RECORD_TEXT_MAX bytes.
 */
#define RECORD_TEXT_WORDS 8u
#define RECORD_TEXT_BYTES (RECORD_TEXT_WORDS * 8u)
#define RECORD_TEXT_MAX 65536u

#define RECORD_PIECE_WORDS (3u + RECORD_TEXT_WORDS) /* of the whole record */
#define RECORD_WORDS_MAX 18u                        /* of any record: events.def */
#define RECORD_PACKED_WORDS 3u

#define RECORD_ADDRESS_LIMIT (1ull << 48)
/* a caller, or RECORD_STACK_BIT and an id */
#define RECORD_CALLER_BITS (ARCH_ADDRESS_BITS + 1)
#define RECORD_CALLER_LIMIT (1ull << RECORD_CALLER_BITS)
#define RECORD_SIZE_BITS (16 + 64 - RECORD_CALLER_BITS)

static inline uint64_t record_word(uint64_t ticks, uint32_t type)
{
	return ticks << RECORD_TYPE_BITS | type;
}

static inline uint32_t record_type(uint64_t word)
{
	return (uint32_t)(word & 0xff);
}

static inline uint64_t record_ticks(uint64_t word)
{
	return word >> RECORD_TYPE_BITS;
}

static inline bool record_fits_packed(uint64_t address, uint64_t size, uint64_t caller)
{
	/* one test where both have the same limit */
	if (RECORD_CALLER_LIMIT == RECORD_ADDRESS_LIMIT)
		return ((address | caller) >> 48 | size >> RECORD_SIZE_BITS) == 0;
	return (address >> 48 | caller >> RECORD_CALLER_BITS | size >> RECORD_SIZE_BITS) == 0;
}

static inline uint64_t record_packed_low(uint64_t address, uint64_t size)
{
	return address | size << 48;
}

static inline uint64_t record_packed_high(uint64_t caller, uint64_t size)
{
	return caller | size >> 16 << RECORD_CALLER_BITS;
}

static inline uint64_t record_packed_address(uint64_t low)
{
	return low & (RECORD_ADDRESS_LIMIT - 1);
}

static inline uint64_t record_packed_caller(uint64_t high)
{
	return high & (RECORD_CALLER_LIMIT - 1);
}

static inline uint64_t record_packed_size(uint64_t low, uint64_t high)
{
	return low >> 48 | high >> RECORD_CALLER_BITS << 16;
}

#endif
