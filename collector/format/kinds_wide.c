/* SPDX-License-Identifier: MIT */
/*
 * The loops of block_kinds.c with AVX-512. Records of a class are counted in byte lanes, which are
 * added up before one can overflow. The records to visit are listed with compressing moves.
 */
#include "collector/format/kinds_wide.h"

#include "collector/arch/arch.h"

#if ARCH_HAS_WIDE_LANES

#include <immintrin.h>

#include "collector/format/varints_wide.h"

#define WIDE __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,avx512bitalg,popcnt")))
#define FLUSH 255u /* more would overflow the byte in which each lane counts */

bool kinds_wide_is_usable(void)
{
	return wide_is_usable() && __builtin_cpu_supports("avx512bitalg");
}

WIDE uint32_t kinds_wide_count(const uint8_t *class, uint32_t count, uint8_t wanted)
{
	const __m512i same = _mm512_set1_epi8((char)wanted), zero = _mm512_setzero_si512();
	__m512i total = zero;

	for (uint32_t from = 0; from < count;) {
		uint32_t most = FLUSH * KINDS_STRIDE_WIDE;
		uint32_t to = count - from > most ? from + most : count;
		__m512i lanes = zero;

		for (; from < to; from += KINDS_STRIDE_WIDE) {
			__mmask64 is = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(&class[from]),
							      same);

			lanes = _mm512_sub_epi8(lanes, _mm512_movm_epi8(is));
		}
		total = _mm512_add_epi64(total, _mm512_sad_epu8(lanes, zero));
	}
	return (uint32_t)_mm512_reduce_add_epi64(total);
}

/* Lane i has the bits up to its own, over which the units are counted. */
WIDE static inline __m256i units_before(uint32_t units)
{
	const __m256i upto = _mm256_setr_epi16(0x1, 0x3, 0x7, 0xf, 0x1f, 0x3f, 0x7f, 0xff, 0x1ff,
					       0x3ff, 0x7ff, 0xfff, 0x1fff, 0x3fff, 0x7fff, -1);

	return _mm256_popcnt_epi16(_mm256_and_si256(_mm256_set1_epi16((short)units), upto));
}

WIDE void kinds_wide_list(struct decoder *d, bool has_units)
{
	const __m256i lane = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
					       15);
	uint32_t at = 0, heap = 0, every = has_units ? UINT16_MAX : 0;

	for (uint32_t from = 0; from < d->count; from += KINDS_STRIDE) {
		__m128i class = _mm_load_si128((const void *)&d->class[from]);
		uint32_t read = (uint32_t)_mm_movemask_epi8(class);
		uint32_t units = (uint32_t)_mm_movemask_epi8(_mm_slli_epi16(class, 1)) & every;

		if (read) {
			__m256i record = _mm256_add_epi16(lane, _mm256_set1_epi16((short)from));
			__m256i before = _mm256_add_epi16(units_before(units),
							  _mm256_set1_epi16((short)heap));

			_mm256_storeu_si256((void *)&d->visited[at],
					    _mm256_maskz_compress_epi16((__mmask16)read, record));
			_mm256_storeu_si256((void *)&d->visited_heap[at],
					    _mm256_maskz_compress_epi16((__mmask16)read, before));
		}
		at += (uint32_t)__builtin_popcount(read);
		heap += (uint32_t)__builtin_popcount(units);
	}
	d->visited_count = at;
	d->heap_records = heap;
}

#else

bool kinds_wide_is_usable(void)
{
	return false;
}

uint32_t kinds_wide_count(const uint8_t *class, uint32_t count, uint8_t wanted)
{
	(void)class;
	(void)count;
	(void)wanted;
	return 0;
}

void kinds_wide_list(struct decoder *d, bool has_units)
{
	(void)d;
	(void)has_units;
}

#endif
