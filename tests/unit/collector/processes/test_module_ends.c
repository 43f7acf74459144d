/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * What was unloaded is taken in the order of time, and until when memory was something else's is
 * known by place.
 */
#include "tests/unit/unit.h"
#include "collector/processes/module_ends.h"

static struct module_end end_of(uint64_t time_ns, uint64_t start, uint64_t end)
{
	return (struct module_end){ .time_ns = time_ns, .start = start, .end = end };
}

TEST(ends_are_sorted_by_time)
{
	struct module_ends ends = { .count = 0 };

	for (uint64_t i = 0; i < 1000; i++) {
		struct module_end end = end_of(i * 7919 % 1000, 4096, 8192);

		module_ends_note(&ends, &end);
	}
	module_ends_sort(&ends);
	assert_int_equal(ends.count, 1000);
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(ends.noted[i].time_ns, i);
	module_ends_release(&ends);
}

TEST(the_last_end_of_a_place_counts)
{
	struct module_ends ends = { .count = 0 };
	const struct module_end given[] = { end_of(10, 0x1000, 0x3000), end_of(20, 0x5000, 0x6000),
					    end_of(30, 0x2000, 0x4000) };

	for (unsigned int i = 0; i < 3; i++)
		module_ends_keep(&ends, &given[i]);
	assert_int_equal(ends.places, 2);
	assert_int_equal(module_ends_before(&ends, 0x2000, 0x3000), 30);
	assert_int_equal(module_ends_before(&ends, 0x3fff, 0x5001), 30);
	assert_int_equal(module_ends_before(&ends, 0x5000, 0x5001), 20);
	assert_int_equal(module_ends_before(&ends, 0x6000, 0x9000), 0);
	module_ends_release(&ends);
}

/* A program may say anything; there is a bound. */
TEST(memory_is_bounded)
{
	struct module_ends ends = { .count = 0 };

	for (uint64_t i = 0; i < 2ull * MODULE_ENDS_MAX; i++) {
		struct module_end end = end_of(i, i * 4096, i * 4096 + 4096);

		module_ends_note(&ends, &end);
		if (i < 2ull * MODULE_ENDS_KEPT)
			module_ends_keep(&ends, &end);
	}
	assert_in_range(ends.count, 1, MODULE_ENDS_MAX);
	assert_in_range(ends.places, 1, MODULE_ENDS_KEPT);
	module_ends_release(&ends);
}
