/* SPDX-License-Identifier: MIT */
/*
 * Columns of numbers unpacked many at once, against one number after the other: all lengths, all mixtures, columns
 * that end too soon or too late, and what the numbers add up to.
 */
/* links: format */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

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
	assert_int_equal(varints_add_up(varints, count), 0);
	check_sums(varints, column, count);
	for (size_t i = 0; i < count; i++) {
		if (column->number[i] >= VARINTS_LATE)
			assert_int_equal(varints->late[late++].at, i);
		assert_int_equal(varints_next(varints), column->number[i]);
	}
	assert_int_equal(varints->late_count, late);
}

static void columns_round_trip(void **state)
{
	static const size_t counts[] = { 0, 1, 7, 8, 15, 16, 17, 31, 33, 1000, NUMBERS };
	static struct column column;
	struct varint_lanes lanes, none = { .usable = false };
	struct varints varints = { 0 };

	(void)state;
	varint_lanes_init(&lanes);
	for (uint32_t rare = 1; rare <= 1000; rare *= 10) {
		for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			column_make(&column, counts[i], rare, rare + i);
			check_column(&varints, &lanes, &column, counts[i]);
			check_column(&varints, &none, &column, counts[i]);
			free(column.bytes);
		}
	}
	varints_release(&varints);
}

/* The greatest sum there is: it fits. */
static void greatest_sum_fits(void **state)
{
	static struct column column;
	struct varint_lanes lanes;
	struct varints varints = { 0 };

	(void)state;
	varint_lanes_init(&lanes);
	column.bytes = malloc(NUMBERS * CODEC_VARINT_MAX);
	for (size_t i = 0; i < NUMBERS; i++) {
		column.number[i] = VARINTS_LATE - 1;
		column.length = (size_t)(put_varint(column.bytes + column.length,
						    VARINTS_LATE - 1) -
					 column.bytes);
	}
	check_column(&varints, &lanes, &column, NUMBERS);
	assert_int_equal(varints.sum[NUMBERS], NUMBERS * (VARINTS_LATE - 1u));
	free(column.bytes);
	varints_release(&varints);
}

static void wrong_lengths_are_refused(void **state)
{
	static struct column column;
	struct varint_lanes lanes;
	struct varints varints = { 0 };

	(void)state;
	varint_lanes_init(&lanes);
	column_make(&column, 1000, 10, 3);
	for (size_t cut = 1; cut < 40; cut++) {
		struct cursor all = cursor_of(column.bytes, column.length - cut);

		assert_int_equal(varints_unpack(&varints, &lanes, &all, 1000), EVT_CORRUPT);
	}
	for (size_t count = 960; count < 1000; count++) {
		struct cursor all = cursor_of(column.bytes, column.length);

		assert_int_equal(varints_unpack(&varints, &lanes, &all, count), EVT_CORRUPT);
	}
	free(column.bytes);
	varints_release(&varints);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_round_trip),
		cmocka_unit_test(greatest_sum_fits),
		cmocka_unit_test(wrong_lengths_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
