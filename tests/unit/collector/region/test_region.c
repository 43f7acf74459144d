/* SPDX-License-Identifier: MIT */
/* links: */
/*
 * collector/region/region.h: where the rings lie and how many there are, for every value of
 * INTERCEPT_BUFFER.
 */
#include "tests/unit/unit.h"
#include "collector/region/region.h"

#define MIB (1ull << 20)

static struct region_shape shape_for(uint64_t buffer_bytes)
{
	struct region_shape shape;

	assert_int_equal(region_shape_of(region_bytes_of(buffer_bytes), &shape), 0);
	return shape;
}

TEST(classes_lie_one_behind_the_other)
{
	for (uint64_t buffer = MIB; buffer <= 65536 * MIB; buffer += buffer / 4 / 4096 * 4096) {
		struct region_shape s = shape_for(buffer);
		uint64_t end = s.ring_offset + s.ring_count * sizeof(struct region_ring);
		uint32_t first = 0;

		for (unsigned int i = 0; i < REGION_CLASSES; i++) {
			assert_true(s.class[i].offset >= end && s.class[i].offset % 4096 == 0);
			assert_int_equal(s.class[i].first, first);
			assert_true(s.class[i].count > 0 &&
				    s.class[i].ring_bytes >= REGION_RING_BYTES_MIN);
			end = s.class[i].offset +
			      (uint64_t)s.class[i].count * s.class[i].ring_bytes;
			first += s.class[i].count;
		}
		assert_true(end <= s.bytes);
		assert_int_equal(first, s.ring_count);
	}
}

/* What docs/LIMITS.md says of the default. */
TEST(default_has_rings_for_many_threads)
{
	struct region_shape s = shape_for(64 * MIB);

	assert_true(s.ring_count > 20000);
	assert_int_equal(s.class[0].ring_bytes, 2 * MIB);
	assert_true(s.class[0].count >= 7);
	assert_int_equal(s.class[REGION_CLASSES - 1].ring_bytes, 4096);
}

/* Neither fewer nor smaller ones; of the last class four times the room gives twice as many. */
TEST(larger_buffer_has_more)
{
	struct region_shape before = shape_for(64 * MIB);

	for (uint64_t buffer = 128 * MIB; buffer <= 65536 * MIB; buffer *= 2) {
		struct region_shape s = shape_for(buffer);

		assert_true(s.ring_count >= before.ring_count);
		for (unsigned int i = 0; i < REGION_CLASSES; i++)
			assert_true(s.class[i].ring_bytes >= before.class[i].ring_bytes);
		before = s;
	}
	assert_true(shape_for(256 * MIB).ring_count > 2 * 24000);
}

TEST(a_freed_ring_is_found_first)
{
	static struct region_header header;

	atomic_store(&header.ring_free[1], 7);
	region_ring_is_free(&header, 1, 9);
	assert_int_equal(atomic_load(&header.ring_free[1]), 7);
	region_ring_is_free(&header, 1, 3);
	assert_int_equal(atomic_load(&header.ring_free[1]), 3);
	assert_int_equal(atomic_load(&header.ring_free[0]), 0);
}
