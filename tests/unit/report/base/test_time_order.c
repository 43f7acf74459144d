/* SPDX-License-Identifier: MIT */
/*
 * Arrays by time, against a plain insertion: whatever order they come in, and equal times stay as
 * they were.
 */
/* links: report format */
#include "tests/unit/unit.h"
#include "report/base/time_order.h"

#define MOST 300u

struct element {
	uint64_t time_ns, number, twice;
};

static struct element given[MOST], expected[MOST];

static void put(size_t count, uint64_t time_ns)
{
	size_t at = count;

	given[count] = (struct element){ time_ns, count, 2 * count };
	for (; at > 0 && expected[at - 1].time_ns > time_ns; at--)
		expected[at] = expected[at - 1];
	expected[at] = given[count];
}

static void expect_sorted(size_t count)
{
	time_order_sort(given, count, sizeof(given[0]));
	assert_memory_equal(given, expected, count * sizeof(given[0]));
}

TEST(any_number_of_runs)
{
	for (size_t length = 1; length < 40; length++) {
		for (size_t count = 0; count < MOST; count++)
			put(count, count % length * 10 + count / length);
		expect_sorted(MOST);
	}
}

TEST(few_elements)
{
	uint32_t random = 1;

	for (size_t count = 0; count < 20; count++) {
		for (size_t i = 0; i < count; i++)
			put(i, (random = random * 1103515245u + 12345u) >> 29);
		expect_sorted(count);
	}
}

TEST(backwards_and_equal)
{
	for (size_t i = 0; i < MOST; i++)
		put(i, (MOST - i) / 3);
	expect_sorted(MOST);
	for (size_t i = 0; i < MOST; i++)
		put(i, i % 2 ? UINT64_MAX : 0);
	expect_sorted(MOST);
}

/*
 * Longer than what is inserted one by one: from runs that do not meet to those that lie in each
 * other.
 */
TEST(long_runs_overlap)
{
	for (size_t length = 66; length <= MOST; length += 13) {
		for (size_t apart = 0; apart <= 2 * length; apart += 7) {
			for (size_t count = 0; count < MOST; count++)
				put(count, count % length + count / length * apart);
			expect_sorted(MOST);
			for (size_t count = 0; count < MOST; count++)
				put(count, count % length * 3 + (9 - count / length) * apart);
			expect_sorted(MOST);
		}
	}
}
