/* SPDX-License-Identifier: MIT */
/* links: report */
/* report/base/sorted.h: numbers are looked up in sorted arrays. */
#include "tests/unit/unit.h"

#include "report/base/sorted.h"

struct element {
	uint64_t time_ns;
	uint32_t other;
};

TEST(counts_the_elements_up_to_a_number)
{
	static const struct element array[] = { { 3, 0 }, { 5, 1 }, { 5, 2 }, { UINT64_MAX, 3 } };

	assert_int_equal(sorted_count_up_to(array, 4, sizeof(array[0]), 0), 0);
	assert_int_equal(sorted_count_up_to(array, 4, sizeof(array[0]), 2), 0);
	assert_int_equal(sorted_count_up_to(array, 4, sizeof(array[0]), 3), 1);
	assert_int_equal(sorted_count_up_to(array, 4, sizeof(array[0]), 4), 1);
	assert_int_equal(sorted_count_up_to(array, 4, sizeof(array[0]), 5), 3);
	assert_int_equal(sorted_count_up_to(array, 4, sizeof(array[0]), UINT64_MAX - 1), 3);
	assert_int_equal(sorted_count_up_to(array, 4, sizeof(array[0]), UINT64_MAX), 4);
	assert_int_equal(sorted_count_up_to(NULL, 0, sizeof(array[0]), 5), 0);
}
