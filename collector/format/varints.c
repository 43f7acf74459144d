/* SPDX-License-Identifier: MIT */
/*
 * Sixteen bytes at a time: a byte without its top bit ends a number, and the byte before it belongs to
 * the same number when its top bit is set. Each byte is looked at as if a number ended there; a
 * shuffle then keeps those where one does. Needs SSSE3, which every x86-64 of the last 15 years has;
 * others go one by one.
 */
#include "collector/format/varints.h"

#include <immintrin.h>
#include <stdlib.h>

#include "collector/format/error.h"

#define STRIDE 16u /* bytes looked at together; values written beyond the last one */

/* What one pass over a column needs. */
struct unpacking {
	struct cursor column;
	uint16_t *value;
	size_t left; /* numbers still to come */
};

void varint_lanes_init(struct varint_lanes *lanes)
{
	lanes->usable = __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("popcnt");
	for (unsigned int set = 0; set < 256; set++) {
		unsigned int at = 0;

		for (unsigned int lane = 0; lane < 8; lane++) {
			if (!(set & 1u << lane))
				continue;
			lanes->shuffle[set][at++] = (uint8_t)(2 * lane);
			lanes->shuffle[set][at++] = (uint8_t)(2 * lane + 1);
		}
		while (at < 16)
			lanes->shuffle[set][at++] = 0x80;
	}
}

/* Eight bytes as eight numbers that end there, then only those of `ends`. */
__attribute__((target("ssse3"))) static inline __m128i lanes_unpack(
	const struct varint_lanes *lanes, __m128i bytes, __m128i before, unsigned int ends)
{
	__m128i two = _mm_cmpgt_epi16(before, _mm_set1_epi16(0x7f));
	__m128i low = _mm_and_si128(before, _mm_set1_epi16(0x7f));
	__m128i both = _mm_or_si128(_mm_slli_epi16(bytes, 7), low);
	__m128i value = _mm_or_si128(_mm_and_si128(two, both), _mm_andnot_si128(two, bytes));
	const void *shuffle = lanes->shuffle[ends & 0xff];

	return _mm_shuffle_epi8(value, _mm_loadu_si128((const __m128i *)shuffle));
}

/* As many short numbers as come one after the other, in steps of what sixteen bytes hold. */
__attribute__((target("ssse3,popcnt"))) static void unpack_short(const struct varint_lanes *lanes,
								 struct unpacking *u)
{
	const __m128i zero = _mm_setzero_si128();
	const uint8_t *at = u->column.at, *last = u->column.end - STRIDE;
	uint16_t *value = u->value, *enough = u->value + u->left;

	while (at <= last && enough - value >= (ptrdiff_t)STRIDE) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
		__m128i before = _mm_slli_si128(bytes, 1);
		unsigned int goes_on = (unsigned int)_mm_movemask_epi8(bytes);
		unsigned int is_long = goes_on & goes_on << 1;
		/* whole numbers only; a long one ends the run before its first byte */
		unsigned int taken = is_long ? (unsigned int)__builtin_ctz(is_long) - 1
					     : STRIDE - (goes_on >> (STRIDE - 1));
		unsigned int ends = ~goes_on & ((1u << taken) - 1);
		unsigned int first = (unsigned int)__builtin_popcount(ends & 0xff);

		_mm_storeu_si128((__m128i *)(void *)value,
				 lanes_unpack(lanes, _mm_unpacklo_epi8(bytes, zero),
					      _mm_unpacklo_epi8(before, zero), ends));
		_mm_storeu_si128((__m128i *)(void *)(value + first),
				 lanes_unpack(lanes, _mm_unpackhi_epi8(bytes, zero),
					      _mm_unpackhi_epi8(before, zero), ends >> 8));
		value += (unsigned int)__builtin_popcount(ends);
		at += taken;
		if (is_long)
			break;
	}
	u->left -= (size_t)(value - u->value);
	u->value = value;
	u->column.at = at;
}

static int late_put(struct varints *varints, struct varint_late late)
{
	if (varints->late_count == varints->late_room) {
		size_t room = varints->late_room ? 2 * varints->late_room : 256;
		struct varint_late *all = realloc(varints->late, room * sizeof(*all));

		if (!all)
			return EVT_NO_MEMORY;
		varints->late = all;
		varints->late_room = room;
	}
	varints->late[varints->late_count++] = late;
	return 0;
}

/* One number, whatever its length. */
static int unpack_one(struct varints *varints, struct unpacking *u)
{
	uint64_t value = get_varint(&u->column);
	uint32_t at = (uint32_t)(u->value - varints->value);

	u->left--;
	*u->value++ = value < VARINTS_LATE ? (uint16_t)value : VARINTS_LATE;
	return value < VARINTS_LATE ? 0 : late_put(varints, (struct varint_late){ value, at });
}

static int varints_reserve(struct varints *varints, size_t count)
{
	uint16_t *value;

	if (count + STRIDE <= varints->room)
		return 0;
	value = malloc((count + STRIDE) * sizeof(*value));
	if (!value)
		return EVT_NO_MEMORY;
	free(varints->value);
	varints->value = value;
	varints->room = count + STRIDE;
	return 0;
}

int varints_unpack(struct varints *varints, const struct varint_lanes *lanes, struct cursor *column,
		   size_t count)
{
	struct unpacking u;
	int error;

	if (count > cursor_left(column))
		return EVT_CORRUPT;
	varints->late_count = 0;
	error = varints_reserve(varints, count);
	u = (struct unpacking){ *column, varints->value, count };
	while (!error && u.left && !u.column.failed) {
		if (lanes->usable && u.left >= STRIDE && cursor_left(&u.column) >= STRIDE)
			unpack_short(lanes, &u);
		if (u.left)
			error = unpack_one(varints, &u);
	}
	if (error)
		return error;
	*column = u.column;
	varints->next = varints->value;
	varints->next_late = varints->late;
	return u.column.failed || u.column.at != u.column.end ? EVT_CORRUPT : 0;
}

static int varints_reserve_sum(struct varints *varints, size_t count)
{
	uint32_t *sum;

	if (count + STRIDE <= varints->sum_room)
		return 0;
	sum = malloc((count + STRIDE) * sizeof(*sum));
	if (!sum)
		return EVT_NO_MEMORY;
	free(varints->sum);
	varints->sum = sum;
	varints->sum_room = count + STRIDE;
	return 0;
}

/* Four numbers become what they add up to with all before them, which *total has in each lane. */
static inline __m128i lanes_add_up(__m128i four, __m128i *total)
{
	__m128i sum = _mm_add_epi32(four, _mm_slli_si128(four, 4));

	sum = _mm_add_epi32(_mm_add_epi32(sum, _mm_slli_si128(sum, 8)), *total);
	*total = _mm_shuffle_epi32(sum, 0xff);
	return sum;
}

int varints_add_up(struct varints *varints, size_t count)
{
	const __m128i zero = _mm_setzero_si128(), late = _mm_set1_epi16((short)VARINTS_LATE);
	__m128i total = zero;
	int error = varints_reserve_sum(varints, count);

	if (error)
		return error;
	varints->sum[0] = 0;
	for (size_t i = 0; i < count; i += 8) { /* both arrays have room beyond their last one */
		__m128i *sum = (__m128i *)(void *)&varints->sum[1 + i];
		__m128i value = _mm_loadu_si128((const void *)&varints->value[i]);

		value = _mm_andnot_si128(_mm_cmpeq_epi16(value, late), value);
		_mm_storeu_si128(sum, lanes_add_up(_mm_unpacklo_epi16(value, zero), &total));
		_mm_storeu_si128(sum + 1, lanes_add_up(_mm_unpackhi_epi16(value, zero), &total));
	}
	return 0;
}

void varints_release(struct varints *varints)
{
	free(varints->value);
	free(varints->sum);
	free(varints->late);
	*varints = (struct varints){ 0 };
}
