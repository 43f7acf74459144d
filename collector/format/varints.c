/* SPDX-License-Identifier: MIT */
/*
 * Decodes sixteen bytes at a time. A byte without its top bit ends a number, and the byte before it
 * belongs to the same number if its top bit is set. Each byte is decoded as if a number ended
 * there; a shuffle then keeps those where one does. On processors without these vector
 * instructions numbers are decoded one by one.
 */
#include "collector/format/varints.h"

#include <stdlib.h>

#include "collector/arch/lanes.h"
#include "collector/format/error.h"
#include "collector/format/varints_wide.h"

#define STRIDE VARINTS_STRIDE

/* The state of one pass over a column. */
struct unpacking {
	struct cursor column;
	uint16_t *value;
	size_t left; /* numbers that are still to be decoded */
};

void varint_lanes_init(struct varint_lanes *lanes)
{
	lanes->usable = arch_lanes_are_usable();
	lanes->is_wide = wide_is_usable();
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

/* Decodes eight bytes as eight numbers that end there, and keeps only those of `ends`. */
ARCH_LANES static inline arch_lanes lanes_unpack(const struct varint_lanes *lanes, arch_lanes bytes,
						 arch_lanes before, unsigned int ends)
{
	return arch_lanes_pick(arch_lanes_decode(bytes, before), lanes->shuffle[ends & 0xff]);
}

/* Decodes consecutive short numbers, sixteen bytes at a step. */
ARCH_LANES static void unpack_short(const struct varint_lanes *lanes, struct unpacking *u)
{
	const uint8_t *at = u->column.at, *last = u->column.end - STRIDE;
	uint16_t *value = u->value, *enough = u->value + u->left;

	while (at <= last && enough - value >= (ptrdiff_t)STRIDE) {
		arch_lanes bytes = arch_lanes_load(at), before = arch_lanes_before(bytes);
		unsigned int goes_on = arch_lanes_tops(bytes);
		unsigned int is_long = goes_on & goes_on << 1;
		/* only whole numbers; a long number ends the run before its first byte */
		unsigned int taken = is_long ? (unsigned int)__builtin_ctz(is_long) - 1
					     : STRIDE - (goes_on >> (STRIDE - 1));
		unsigned int ends = ~goes_on & ((1u << taken) - 1);
		unsigned int first = (unsigned int)__builtin_popcount(ends & 0xff);

		arch_lanes_store(value, lanes_unpack(lanes, arch_lanes_low(bytes),
						     arch_lanes_low(before), ends));
		arch_lanes_store(value + first, lanes_unpack(lanes, arch_lanes_high(bytes),
							     arch_lanes_high(before), ends >> 8));
		value += (unsigned int)__builtin_popcount(ends);
		at += taken;
		if (is_long)
			break;
	}
	u->left -= (size_t)(value - u->value);
	u->value = value;
	u->column.at = at;
}

static void unpack_wide(struct unpacking *u)
{
	size_t taken = wide_unpack(&u->column, u->value, u->left);

	u->value += taken;
	u->left -= taken;
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

/* Decodes one number of any length. */
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
		if (lanes->is_wide)
			unpack_wide(&u);
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

/* --- some values at a time --- */

/*
 * Returns which bytes end a number of one or two bytes: at most `count`, up to the first longer
 * number.
 */
static inline unsigned int ends_of(unsigned int goes_on, size_t count)
{
	unsigned int is_long = goes_on & goes_on << 1;
	unsigned int whole = is_long ? (unsigned int)__builtin_ctz(is_long) - 1 : STRIDE;
	unsigned int ends = ~goes_on & ((1u << whole) - 1);

	for (unsigned int n = (unsigned int)__builtin_popcount(ends); n > count; n--)
		ends &= ~(1u << (31 - (unsigned int)__builtin_clz(ends)));
	return ends;
}

/*
 * Decodes at most `count` numbers of one or two bytes from the next sixteen bytes. Returns how
 * many; 0: the next number is longer.
 */
ARCH_LANES static inline size_t take_stride(const struct varint_lanes *lanes, struct cursor *column,
					    uint64_t *value, size_t count)
{
	arch_lanes bytes = arch_lanes_load(column->at), before;
	unsigned int goes_on = arch_lanes_tops(bytes), ends, first;

	if (!goes_on && count >= STRIDE) {
		arch_lanes_widen(arch_lanes_low(bytes), value);
		arch_lanes_widen(arch_lanes_high(bytes), value + STRIDE / 2);
		column->at += STRIDE;
		return STRIDE;
	}
	before = arch_lanes_before(bytes);
	ends = ends_of(goes_on, count);
	if (!ends)
		return 0;
	first = (unsigned int)__builtin_popcount(ends & 0xff);
	arch_lanes_widen(lanes_unpack(lanes, arch_lanes_low(bytes), arch_lanes_low(before), ends),
			 value);
	arch_lanes_widen(
		lanes_unpack(lanes, arch_lanes_high(bytes), arch_lanes_high(before), ends >> 8),
		value + first);
	column->at += 32 - (unsigned int)__builtin_clz(ends);
	return (unsigned int)__builtin_popcount(ends);
}

/* Joins groups of seven bits, one per byte: pairs of bytes, then groups of four, then all eight. */
static inline uint64_t sevens_join(uint64_t word)
{
	word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
	word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
	return (word & 0x0fffffff) | (word & 0x0fffffff00000000) >> 4;
}

/* Decodes one number of any length. */
static inline uint64_t take_one(struct cursor *c)
{
	const uint64_t tops = 0x8080808080808080;
	uint64_t word, ends;
	unsigned int last;

	if (cursor_left(c) < CODEC_VARINT_MAX)
		return get_varint(c);
	memcpy(&word, c->at, sizeof(word));
	ends = ~word & tops;
	if (ends) {
		last = (unsigned int)__builtin_ctzll(ends);
		c->at += last / 8 + 1;
		return sevens_join(word & ~tops & (UINT64_MAX >> (63 - last)));
	}
	if (c->at[8] >= 0x80)
		return get_varint(c);
	c->at += 9;
	return sevens_join(word & ~tops) | (uint64_t)c->at[-1] << 56;
}

ARCH_LANES static void take_strides(const struct varint_lanes *lanes, struct cursor *column,
				    uint64_t *value, size_t count)
{
	struct cursor c = *column;
	size_t at = 0;

	while (at < count && cursor_left(&c) >= STRIDE) {
		size_t taken = take_stride(lanes, &c, &value[at], count - at);

		at += taken;
		/*
		 * if most numbers are long, a vector attempt for each would cost more than it saves
		 */
		for (size_t some = taken ? 1 : 4; taken < STRIDE / 4 && some && at < count; some--)
			value[at++] = take_one(&c);
	}
	while (at < count)
		value[at++] = get_varint(&c);
	*column = c;
}

void varints_take(const struct varint_lanes *lanes, struct cursor *column, uint64_t *value,
		  size_t count)
{
	if (lanes->usable) {
		take_strides(lanes, column, value, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		value[i] = get_varint(column);
}

/* --- sums --- */

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

int varints_add_up(struct varints *varints, const struct varint_lanes *lanes, size_t count)
{
	arch_lanes total = arch_lanes_zero();
	int error = varints_reserve_sum(varints, count);

	if (error)
		return error;
	varints->sum[0] = 0;
	if (lanes->is_wide) {
		wide_add_up(varints->value, varints->sum, count);
		return 0;
	}
	for (size_t i = 0; i < count; i += 8) /* both arrays have room after their last element */
		arch_lanes_add_up(&varints->value[i], VARINTS_LATE, &varints->sum[1 + i], &total);
	return 0;
}

void varints_release(struct varints *varints)
{
	free(varints->value);
	free(varints->sum);
	free(varints->late);
	*varints = (struct varints){ 0 };
}
