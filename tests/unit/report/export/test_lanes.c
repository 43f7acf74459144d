/* SPDX-License-Identifier: MIT */
/* links: report */
/*
 * Lanes: whatever spans there are and in whatever order they come, a viewer of begins and ends
 * gives each its own end.
 */
#include "tests/unit/unit.h"

#include "report/export/lanes.h"

#define SPANS_MAX 60000u

struct mark {
	uint64_t time;
	uint32_t place; /* in the file */
	uint32_t span, lane;
	int is_end;
};

static struct mark marks[2 * SPANS_MAX];
static uint32_t stack[SPANS_MAX], depth;
static uint64_t seed;

static uint64_t draw(uint64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % below;
}

static int by_lane_and_time(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->place < b->place ? -1 : 1;
}

static void put(struct lanes *lanes, uint32_t span, uint64_t start, uint64_t end)
{
	uint32_t lane = lanes_put(lanes, start, end);

	marks[2 * span] = (struct mark){ start, 2 * span, span, lane, 0 };
	marks[2 * span + 1] = (struct mark){ end, 2 * span + 1, span, lane, 1 };
}

/*
 * As trace_processor does it: by time, then as they stand in the file; an end is that of the
 * innermost open span.
 */
static void check(uint32_t count)
{
	qsort(marks, 2 * (size_t)count, sizeof(marks[0]), by_lane_and_time);
	depth = 0;
	for (uint32_t i = 0; i < 2 * count; i++) {
		if (!marks[i].is_end) {
			stack[depth++] = marks[i].span;
			continue;
		}
		assert_true(depth > 0);
		assert_int_equal(stack[--depth], marks[i].span);
	}
	assert_int_equal(depth, 0);
}

TEST(any_spans_nest)
{
	for (seed = 1; seed < 400; seed++) {
		uint64_t kept = seed, within = 4 + draw(60), length = 1 + draw(20);
		uint32_t count = 1 + (uint32_t)draw(60);
		struct lanes lanes = { 0 };

		for (uint32_t i = 0; i < count; i++) {
			uint64_t start = draw(within);

			put(&lanes, i, start, start + draw(length));
		}
		check(count);
		lanes_release(&lanes);
		seed = kept;
	}
}

/*
 * Many more than a lane remembers, by their ends as threads have them, with long ones around them.
 */
TEST(forgotten_spans_are_not_crossed)
{
	struct lanes lanes = { 0 };
	uint64_t now = 1000;
	uint32_t count = 0;

	seed = 7;
	while (count < SPANS_MAX - 1) {
		uint64_t length = 1 + draw(5), back = draw(1000) ? length : draw(now);

		now += length;
		put(&lanes, count++, now - back, now);
	}
	put(&lanes, count++, 500, now + 1);
	check(count);
	assert_true(lanes.count > 1);
	lanes_release(&lanes);
}

/* What nests needs one lane: operators with calls inside of them, steps around all. */
TEST(nested_spans_share_a_lane)
{
	struct lanes lanes = { 0 };
	uint32_t count = 0;

	for (uint64_t step = 0; step < 1500; step++) {
		uint64_t start = 10000 * step;

		for (uint64_t i = 1; i < 20; i++) {
			put(&lanes, count++, start + 100 * i + 10, start + 100 * i + 20);
			put(&lanes, count++, start + 100 * i, start + 100 * i + 30);
		}
		put(&lanes, count++, start, start + 9000);
	}
	assert_int_equal(lanes.count, 1);
	check(count);
	lanes_release(&lanes);
}

TEST(what_has_no_end_is_crossed_by_nothing)
{
	struct lanes lanes = { 0 };

	assert_int_equal(lanes_put(&lanes, 10, 20), 0);
	assert_int_equal(lanes_put(&lanes, 30, LANE_NO_END), 0);
	assert_int_equal(lanes_put(&lanes, 20, 25), 0);
	assert_int_equal(lanes_put(&lanes, 40, 50), 1);
	lanes_release(&lanes);
}
