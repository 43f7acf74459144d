/* SPDX-License-Identifier: MIT */
/*
 * Columns of numbers unpacked many at once, against one number after the other: all lengths, all
 * mixtures, columns that end too soon or too late, and what the numbers add up to.
 */
/* links: format */
#include "tests/unit/unit.h"
#include "collector/format/error.h"
#include "collector/format/varints.h"

#define NUMBERS 32768u

struct column {
	uint64_t number[NUMBERS];
	uint8_t *bytes; /* of exactly the length, so that reading beyond is seen */
	size_t length;
};

static uint64_t pick(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 20;
}

/* One in `rare` numbers is of any length, the others of one byte or two. */
static void column_make(struct column *column, size_t count, uint32_t rare, uint64_t seed)
{
	uint8_t *bytes = malloc(count * CODEC_VARINT_MAX + 1), *at = bytes;

	for (size_t i = 0; i < count; i++) {
		uint64_t any = pick(&seed) * 0x9e3779b97f4a7c15u >> pick(&seed) % 64;

		column->number[i] = pick(&seed) % rare ? any % (pick(&seed) % 2 ? 128 : 16384)
						       : any;
		at = put_varint(at, column->number[i]);
	}
	column->length = (size_t)(at - bytes);
	column->bytes = malloc(column->length + !column->length);
	memcpy(column->bytes, bytes, column->length);
	free(bytes);
}

static void check_sums(const struct varints *varints, const struct column *column, size_t count)
{
	uint32_t sum = 0;

	assert_int_equal(varints->sum[0], 0);
	for (size_t i = 0; i < count; i++) {
		sum += column->number[i] < VARINTS_LATE ? (uint32_t)column->number[i] : 0;
		assert_int_equal(varints->sum[i + 1], sum);
	}
}

static void check_column(struct varints *varints, const struct varint_lanes *lanes,
			 const struct column *column, size_t count)
{
	struct cursor all = cursor_of(column->bytes, column->length);
	size_t late = 0;

	assert_int_equal(varints_unpack(varints, lanes, &all, count), 0);
	assert_int_equal(varints_add_up(varints, lanes, count), 0);
	check_sums(varints, column, count);
	for (size_t i = 0; i < count; i++) {
		if (column->number[i] >= VARINTS_LATE)
			assert_int_equal(varints->late[late++].at, i);
		assert_int_equal(varints_next(varints), column->number[i]);
	}
	assert_int_equal(varints->late_count, late);
}

TEST(columns_round_trip)
{
	static const size_t counts[] = { 0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 65, 1000, NUMBERS };
	static struct column column;
	struct varint_lanes lanes, narrow, none = { .usable = false };
	struct varints varints = { 0 };

	varint_lanes_init(&lanes);
	narrow = lanes;
	narrow.is_wide = false;
	for (uint32_t rare = 1; rare <= 1000; rare *= 10) {
		for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			column_make(&column, counts[i], rare, rare + i);
			check_column(&varints, &lanes, &column, counts[i]);
			check_column(&varints, &narrow, &column, counts[i]);
			check_column(&varints, &none, &column, counts[i]);
			free(column.bytes);
		}
	}
	varints_release(&varints);
}

/* The greatest sum there is: it fits. */
TEST(greatest_sum_fits)
{
	static struct column column;
	struct varint_lanes lanes;
	struct varints varints = { 0 };

	varint_lanes_init(&lanes);
	column.bytes = malloc(NUMBERS * CODEC_VARINT_MAX);
	for (size_t i = 0; i < NUMBERS; i++) {
		column.number[i] = VARINTS_LATE - 1;
		column.length = (size_t)(put_varint(column.bytes + column.length,
						    VARINTS_LATE - 1) -
					 column.bytes);
	}
	check_column(&varints, &lanes, &column, NUMBERS);
	lanes.is_wide = false;
	check_column(&varints, &lanes, &column, NUMBERS);
	assert_int_equal(varints.sum[NUMBERS], NUMBERS * (VARINTS_LATE - 1u));
	free(column.bytes);
	varints_release(&varints);
}

/* The ways that a processor may have, the widest first; those that it has not are the next one. */
enum { WIDE, NARROW, ONE_BY_ONE, WAYS };

static void ways_init(struct varint_lanes *way)
{
	varint_lanes_init(&way[WIDE]);
	way[NARROW] = way[WIDE];
	way[NARROW].is_wide = false;
	way[ONE_BY_ONE] = (struct varint_lanes){ .usable = false };
}

TEST(wrong_lengths_are_refused)
{
	static struct column column;
	struct varint_lanes way[WAYS];
	struct varints varints = { 0 };

	ways_init(way);
	column_make(&column, 1000, 10, 3);
	for (size_t i = 0; i < WAYS; i++) {
		for (size_t cut = 1; cut < 40; cut++) {
			struct cursor all = cursor_of(column.bytes, column.length - cut);

			assert_int_equal(varints_unpack(&varints, &way[i], &all, 1000),
					 EVT_CORRUPT);
		}
		for (size_t count = 960; count < 1000; count++) {
			struct cursor all = cursor_of(column.bytes, column.length);

			assert_int_equal(varints_unpack(&varints, &way[i], &all, count),
					 EVT_CORRUPT);
		}
	}
	free(column.bytes);
	varints_release(&varints);
}

static uint32_t numbers_in(const uint8_t *bytes, size_t length)
{
	uint32_t count = 0;

	for (size_t i = 0; i < length; i++)
		count += bytes[i] < 0x80;
	return count;
}

/*
 * Whatever the bytes are: the same numbers, or refused by all. Of its own length, so that a tool
 * sees who reads on.
 */
static void check_alike(const uint8_t *bytes, size_t length, size_t count)
{
	static struct varint_lanes way[WAYS];
	struct varints got[WAYS] = { { 0 } };
	int error[WAYS];

	if (!way[ONE_BY_ONE].usable && !way[NARROW].usable)
		ways_init(way);
	for (size_t i = 0; i < WAYS; i++) {
		struct cursor all = cursor_of(bytes, length);

		error[i] = varints_unpack(&got[i], &way[i], &all, count);
		assert_int_equal(error[i], error[0]);
		if (error[i])
			continue;
		assert_int_equal(got[i].late_count, got[0].late_count);
		for (size_t k = 0; k < count; k++)
			assert_int_equal(got[i].value[k], got[0].value[k]);
		for (size_t k = 0; k < got[0].late_count; k++)
			assert_true(got[i].late[k].value == got[0].late[k].value &&
				    got[i].late[k].at == got[0].late[k].at);
	}
	for (size_t i = 0; i < WAYS; i++)
		varints_release(&got[i]);
}

TEST(any_bytes_are_read_alike)
{
	uint64_t seed = 7;
	unsigned int whole = 0;

	for (unsigned int round = 0; round < 4000; round++) {
		size_t length = round % 211;
		uint8_t *bytes = malloc(length + !length);
		uint32_t count;

		for (size_t i = 0; i < length; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			bytes[i] = (uint8_t)(seed >> 40);
			if (seed >> 33 & (round % 4 ? 1 : 0)) /* long numbers in some rounds only */
				bytes[i] &= 0x7f;
		}
		count = numbers_in(bytes, length);
		check_alike(bytes, length, count);
		check_alike(bytes, length, count + 1);
		check_alike(bytes, length, count ? count - 1 : length / 2);
		whole += count > 0;
		free(bytes);
	}
	assert_true(whole > 3000);
}

/* In parts of `part` numbers, as many as there are. */
static void check_parts(const struct varint_lanes *lanes, const struct column *column, size_t count,
			size_t part)
{
	struct cursor all = cursor_of(column->bytes, column->length);
	uint64_t *value = malloc((part + VARINTS_STRIDE) * sizeof(*value));

	for (size_t at = 0; at < count; at += part) {
		size_t some = count - at < part ? count - at : part;

		varints_take(lanes, &all, value, some);
		for (size_t i = 0; i < some; i++)
			assert_int_equal(value[i], column->number[at + i]);
	}
	assert_false(all.failed);
	assert_ptr_equal(all.at, all.end);
	free(value);
}

TEST(parts_are_taken)
{
	static const size_t parts[] = { 1, 3, 15, 16, 17, 64 };
	static struct column column;
	struct varint_lanes lanes, none = { .usable = false };

	varint_lanes_init(&lanes);
	for (uint32_t rare = 1; rare <= 1000; rare *= 10) {
		for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
			column_make(&column, 5000, rare, rare + i);
			check_parts(&lanes, &column, 5000, parts[i]);
			check_parts(&none, &column, 5000, parts[i]);
			free(column.bytes);
		}
	}
}

/* Every length, in a form longer than it need be too, and one more than any number takes. */
TEST(lengths_are_taken)
{
	struct varint_lanes lanes;
	uint8_t bytes[2 * CODEC_VARINT_MAX + VARINTS_STRIDE];
	uint64_t value[2 + VARINTS_STRIDE];

	varint_lanes_init(&lanes);
	for (size_t length = 1; length <= CODEC_VARINT_MAX + 1; length++) {
		struct cursor c = cursor_of(bytes, sizeof(bytes));

		memset(bytes, 0, sizeof(bytes));
		memset(bytes, 0x80, length - 1);
		bytes[0] |= 5;
		bytes[length] = 7;
		varints_take(&lanes, &c, value, 2);
		assert_int_equal(c.failed, length > CODEC_VARINT_MAX);
		if (c.failed)
			continue;
		assert_int_equal(value[0], 5);
		assert_int_equal(value[1], 7);
		assert_ptr_equal(c.at, bytes + length + 1);
	}
}

TEST(columns_that_end_fail)
{
	static struct column column;
	struct varint_lanes lanes;
	uint64_t value[64 + VARINTS_STRIDE];

	varint_lanes_init(&lanes);
	for (uint32_t rare = 1; rare <= 100; rare *= 10) {
		column_make(&column, 64, rare, rare);
		for (size_t cut = 1; cut <= column.length; cut++) {
			uint8_t *bytes = malloc(column.length - cut + 1);
			struct cursor c = cursor_of(bytes, column.length - cut);

			memcpy(bytes, column.bytes, column.length - cut);
			varints_take(&lanes, &c, value, 64);
			assert_true(c.failed);
			free(bytes);
		}
		free(column.bytes);
	}
}
