/* SPDX-License-Identifier: MIT */
/*
 * Vector steps for columns of short numbers, with SSSE3, which every x86-64 of the last 15 years
 * has. The comments hold for the same names of every architecture.
 */
#ifndef COLLECTOR_ARCH_X86_64_LANES_H
#define COLLECTOR_ARCH_X86_64_LANES_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

/* sixteen bytes, eight 16-bit or four 32-bit numbers */
typedef __m128i arch_lanes;

/* For functions that call what is marked so; only where arch_lanes_are_usable(). */
#define ARCH_LANES __attribute__((target("ssse3,popcnt")))

static inline bool arch_lanes_are_usable(void)
{
	return __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("popcnt");
}

static inline arch_lanes arch_lanes_load(const void *sixteen)
{
	return _mm_loadu_si128((const __m128i *)sixteen);
}

/* `sixteen` is aligned to as many bytes. */
static inline arch_lanes arch_lanes_load_aligned(const void *sixteen)
{
	return _mm_load_si128((const __m128i *)sixteen);
}

static inline void arch_lanes_store(void *sixteen, arch_lanes lanes)
{
	_mm_storeu_si128((__m128i *)sixteen, lanes);
}

/* Each byte moves one place up; the first becomes 0. */
static inline arch_lanes arch_lanes_before(arch_lanes bytes)
{
	return _mm_slli_si128(bytes, 1);
}

/* Returns the top bits of the bytes; bit i is that of byte i. */
static inline uint32_t arch_lanes_tops(arch_lanes bytes)
{
	return (uint32_t)_mm_movemask_epi8(bytes);
}

/* The same for the second bits from the top. */
static inline uint32_t arch_lanes_seconds(arch_lanes bytes)
{
	return (uint32_t)_mm_movemask_epi8(_mm_slli_epi16(bytes, 1));
}

/* The first or the last eight bytes, as 16-bit numbers. */
static inline arch_lanes arch_lanes_low(arch_lanes bytes)
{
	return _mm_unpacklo_epi8(bytes, _mm_setzero_si128());
}

static inline arch_lanes arch_lanes_high(arch_lanes bytes)
{
	return _mm_unpackhi_epi8(bytes, _mm_setzero_si128());
}

/*
 * Decodes eight bytes as eight numbers that end there: with seven bits of the byte before, if that
 * has its top bit. All are 16-bit lanes.
 */
static inline arch_lanes arch_lanes_decode(arch_lanes bytes, arch_lanes before)
{
	__m128i two = _mm_cmpgt_epi16(before, _mm_set1_epi16(0x7f));
	__m128i low = _mm_and_si128(before, _mm_set1_epi16(0x7f));
	__m128i both = _mm_or_si128(_mm_slli_epi16(bytes, 7), low);

	return _mm_or_si128(_mm_and_si128(two, both), _mm_andnot_si128(two, bytes));
}

/* Returns the bytes that the sixteen numbers at `from` name; a number from 0x80 on means a 0. */
ARCH_LANES static inline arch_lanes arch_lanes_pick(arch_lanes bytes, const uint8_t *from)
{
	return _mm_shuffle_epi8(bytes, _mm_loadu_si128((const __m128i *)(const void *)from));
}

/* Stores eight 16-bit numbers as eight of 64 bits. */
static inline void arch_lanes_widen(arch_lanes eight, uint64_t *value)
{
	const __m128i zero = _mm_setzero_si128();
	__m128i low = _mm_unpacklo_epi16(eight, zero), high = _mm_unpackhi_epi16(eight, zero);
	__m128i *at = (__m128i *)(void *)value;

	_mm_storeu_si128(at, _mm_unpacklo_epi32(low, zero));
	_mm_storeu_si128(at + 1, _mm_unpackhi_epi32(low, zero));
	_mm_storeu_si128(at + 2, _mm_unpacklo_epi32(high, zero));
	_mm_storeu_si128(at + 3, _mm_unpackhi_epi32(high, zero));
}

/* Four zeros, for arch_lanes_add_up(). */
static inline arch_lanes arch_lanes_zero(void)
{
	return _mm_setzero_si128();
}

/*
 * Replaces four numbers by their running sums with all before them, which *total has in each lane.
 */
static inline arch_lanes arch_lanes_add_four(arch_lanes four, arch_lanes *total)
{
	__m128i sum = _mm_add_epi32(four, _mm_slli_si128(four, 4));

	sum = _mm_add_epi32(_mm_add_epi32(sum, _mm_slli_si128(sum, 8)), *total);
	*total = _mm_shuffle_epi32(sum, 0xff);
	return sum;
}

/*
 * Stores at `sum` the running sums of the eight numbers at `value`, of which those that equal
 * `without` count as 0.
 */
static inline void arch_lanes_add_up(const uint16_t *value, uint16_t without, uint32_t *sum,
				     arch_lanes *total)
{
	const __m128i zero = _mm_setzero_si128();
	__m128i eight = _mm_loadu_si128((const __m128i *)(const void *)value);
	__m128i *at = (__m128i *)(void *)sum;

	eight = _mm_andnot_si128(_mm_cmpeq_epi16(eight, _mm_set1_epi16((short)without)), eight);
	_mm_storeu_si128(at, arch_lanes_add_four(_mm_unpacklo_epi16(eight, zero), total));
	_mm_storeu_si128(at + 1, arch_lanes_add_four(_mm_unpackhi_epi16(eight, zero), total));
}

#endif
