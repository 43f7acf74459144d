/* SPDX-License-Identifier: MIT */
/* Each byte is decoded as if a number ended there; then those are kept where one does. */
#include "collector/format/varints_wide.h"

#include "collector/arch/arch.h"

#if ARCH_HAS_WIDE_LANES

#include <immintrin.h>

#include "collector/format/varints.h"

#define WIDE __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")))
#define LANES 16u /* lanes of a sum */

bool wide_is_usable(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi2") &&
	       __builtin_cpu_supports("popcnt");
}

/*
 * Decodes every byte as the number that ends there, if one does. Bit i of `goes_on`: byte i does
 * not end one.
 */
WIDE static inline __m512i numbers_of(__m256i bytes, uint32_t goes_on)
{
	__m256i high = _mm256_permute2x128_si256(bytes, bytes, 0x08); /* zeros in the low half */
	__m512i value = _mm512_cvtepu8_epi16(bytes);
	__m512i before = _mm512_cvtepu8_epi16(_mm256_alignr_epi8(bytes, high, 15));
	__m512i low = _mm512_and_si512(before, _mm512_set1_epi16(0x7f));
	__m512i both = _mm512_or_si512(_mm512_slli_epi16(value, 7), low);

	return _mm512_mask_mov_epi16(value, goes_on << 1, both);
}

WIDE size_t wide_unpack(struct cursor *column, uint16_t *value, size_t count)
{
	const uint16_t *begin = value, *enough = value + count;
	struct cursor c = *column;
	bool is_long = false;

	while (!is_long && cursor_left(&c) >= WIDE_STRIDE &&
	       enough - value >= (ptrdiff_t)WIDE_STRIDE) {
		__m256i bytes = _mm256_loadu_si256((const void *)c.at);
		uint32_t goes_on = (uint32_t)_mm256_movemask_epi8(bytes), ends;
		uint32_t longer = goes_on & goes_on << 1, taken;

		is_long = longer != 0;
		/* only whole numbers; a long number ends the run before its first byte */
		taken = is_long ? (uint32_t)__builtin_ctz(longer) - 1
				: WIDE_STRIDE - (goes_on >> (WIDE_STRIDE - 1));
		ends = ~goes_on & (uint32_t)((1ull << taken) - 1);
		_mm512_storeu_si512(value,
				    _mm512_maskz_compress_epi16(ends, numbers_of(bytes, goes_on)));
		value += (unsigned int)__builtin_popcount(ends);
		c.at += taken;
	}
	*column = c;
	return (size_t)(value - begin);
}

/* Running sums of the sixteen lanes and all before them. */
WIDE static inline __m512i varints_wide_lanes_add_up(__m512i lanes, __m512i total)
{
	const __m512i zero = _mm512_setzero_si512();

	lanes = _mm512_add_epi32(lanes, _mm512_alignr_epi32(lanes, zero, 15));
	lanes = _mm512_add_epi32(lanes, _mm512_alignr_epi32(lanes, zero, 14));
	lanes = _mm512_add_epi32(lanes, _mm512_alignr_epi32(lanes, zero, 12));
	lanes = _mm512_add_epi32(lanes, _mm512_alignr_epi32(lanes, zero, 8));
	return _mm512_add_epi32(lanes, total);
}

WIDE void wide_add_up(const uint16_t *value, uint32_t *sum, size_t count)
{
	const __m256i late = _mm256_set1_epi16((short)VARINTS_LATE);
	const __m512i last = _mm512_set1_epi32(LANES - 1);
	__m512i total = _mm512_setzero_si512();

	for (size_t i = 0; i < count;
	     i += LANES) { /* both arrays have room after their last element */
		__m256i lanes = _mm256_loadu_si256((const void *)&value[i]);
		__mmask16 kept = _mm256_cmpneq_epi16_mask(lanes, late);
		__m512i sums = varints_wide_lanes_add_up(
			_mm512_cvtepu16_epi32(_mm256_maskz_mov_epi16(kept, lanes)), total);

		_mm512_storeu_si512(&sum[1 + i], sums);
		total = _mm512_permutexvar_epi32(last, sums);
	}
}

#else

/* No vector form for wide registers. */
bool wide_is_usable(void)
{
	return false;
}

size_t wide_unpack(struct cursor *column, uint16_t *value, size_t count)
{
	(void)column;
	(void)value;
	(void)count;
	return 0;
}

void wide_add_up(const uint16_t *value, uint32_t *sum, size_t count)
{
	(void)value;
	(void)sum;
	(void)count;
}

#endif
