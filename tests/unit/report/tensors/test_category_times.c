/* SPDX-License-Identifier: MIT */
/* links: report format */
/* report/tensors/category_times.c: bytes by category at moments equal blocks that are counted. */
#include "tests/unit/unit.h"
#include "report/tensors/category_times.h"

#define BLOCKS 500u

static struct category_times times;
static uint64_t bytes[CATEGORY_MOMENTS][CATEGORIES];

static int begin(void **state)
{
	times = (struct category_times){ .used = 0 };
	return 0;
}

static int end(void **state)
{
	category_times_release(&times);
	return 0;
}

struct lived {
	uint64_t from_ns, to_ns, bytes;
	enum tensor_category category;
};

static uint64_t lived_at(const struct lived *block, enum tensor_category category, uint64_t time_ns)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < BLOCKS; i++)
		if (block[i].category == category && block[i].from_ns < time_ns &&
		    block[i].to_ns >= time_ns)
			sum += block[i].bytes;
	return sum;
}

/* They end in no order, and time outgrows the moments several times. */
TEST_BOTH(each_moment_has_what_lives_then, begin, end)
{
	static struct lived block[BLOCKS];
	uint64_t seed = 1, end_ns = 3000000000u;
	size_t count;

	for (unsigned int i = 0; i < BLOCKS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		block[i] = (struct lived){ .from_ns = seed >> 33 & 0x3fffffff,
					   .bytes = 1 + (seed >> 20 & 0xfff),
					   .category = (enum tensor_category)(i % CATEGORIES) };
		block[i].to_ns = i % 5 ? block[i].from_ns + (seed >> 40) : CATEGORY_FOR_EVER;
		/* no edge is at a moment */
		block[i].from_ns |= 1;
		if (i % 5)
			block[i].to_ns |= 1;
		category_times_put(&times, block[i].from_ns, block[i].to_ns, block[i].category,
				   block[i].bytes);
	}
	count = category_times_make(&times, end_ns, bytes);
	assert_in_range(count, CATEGORY_MOMENTS / 2, CATEGORY_MOMENTS);
	for (size_t i = 0; i < count; i++)
		for (unsigned int k = 0; k < CATEGORIES; k++)
			assert_int_equal(bytes[i][k], lived_at(block, (enum tensor_category)k,
							       (i + 1) * times.width_ns));
}

TEST_BOTH(nothing_and_times_that_cannot_be_are_no_moments, begin, end)
{
	assert_int_equal(category_times_make(&times, 1000000000, bytes), 0);
	category_times_put(&times, UINT64_MAX - 5, UINT64_MAX - 1, CATEGORY_inputs, 7);
	assert_int_equal(category_times_make(&times, 1000000000, bytes), 0);
	category_times_put(&times, 5, UINT64_MAX - 1, CATEGORY_inputs, 7);
	assert_int_equal(category_times_make(&times, 100, bytes), 1);
	assert_int_equal(bytes[0][CATEGORY_inputs], 7);
}
