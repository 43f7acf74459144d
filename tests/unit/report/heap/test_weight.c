/* SPDX-License-Identifier: MIT */
/* links: report */
/* report/heap/weight.c: what a block of a sample stands for, and counters with a fraction. */
#include <math.h>

#include "tests/unit/unit.h"

#include "report/heap/estimate.h"
#include "report/heap/weight.h"

#define KIB 1024u

TEST(what_was_recorded_anyway_stands_for_itself)
{
	struct weight weight = weight_of(100, 0);

	assert_int_equal(weight.blocks, ESTIMATE_ONE);
	assert_int_equal(weight.bytes, 100);
	assert_true(weight.variance == 0);
}

/*
 * The expected value is what there is: probability times weight. The variance is that of the draw.
 */
TEST(the_expected_value_is_what_there_is)
{
	static const uint64_t sizes[] = { 1, 16, 1000, 64 * KIB, 512 * KIB, 4096 * KIB };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		double size = (double)sizes[i], p = 1 - exp(-size / (512.0 * KIB));
		struct weight weight = weight_of(sizes[i], 512 * KIB);
		double bytes = (double)weight.bytes * p;
		double blocks = (double)weight.blocks / ESTIMATE_ONE * p;

		assert_true(fabs(bytes / size - 1) < 2e-6);
		assert_true(fabs(blocks - 1) < 1e-3);
		assert_true(fabs(weight.variance * p / (size * size * (1 - p) / p) - 1) < 1e-5);
	}
}

TEST(no_bytes_are_drawn_as_one)
{
	struct weight none = weight_of(0, 1024), one = weight_of(1, 1024);

	assert_int_equal(none.blocks, one.blocks);
	assert_int_equal(none.bytes, 0);
	assert_true(none.variance == 0);
}

/* A damaged file may say anything. */
TEST(sizes_beyond_all_memory)
{
	struct weight weight = weight_of(UINT64_MAX, 1);

	assert_int_equal(weight.bytes, UINT64_MAX);
	weight = weight_of(1, UINT64_MAX);
	assert_true(weight.bytes > 0);
	(void)weight_error(weight.variance);
	assert_int_equal(weight_error(-1), 0);
	assert_int_equal(weight_error(144), 12);
}

TEST(counters_keep_fractions)
{
	uint64_t counter = 0;
	uint16_t fraction = 0;

	for (int i = 0; i < 1024; i++)
		weight_count(&counter, &fraction, ESTIMATE_ONE + 1);
	assert_int_equal(counter, 1025);
	assert_int_equal(fraction, 0);
	for (int i = 0; i < 1000; i++)
		weight_discount(&counter, &fraction, ESTIMATE_ONE + 1);
	assert_int_equal(counter, 24);
	assert_int_equal(fraction, 24);
	for (int i = 0; i < 24; i++)
		weight_discount(&counter, &fraction, ESTIMATE_ONE + 1);
	assert_int_equal(counter, 0);
	assert_int_equal(fraction, 0);
}
