/* SPDX-License-Identifier: MIT */
/*
 * Heads of segments: round trips, every truncation, every flipped bit, and where they lie in a
 * page.
 */
/* links: format */

#include "tests/unit/unit.h"

#include "collector/format/error.h"
#include "collector/format/segment.h"

static const struct segment_head segment_of_test = {
	.number = 3,
	.sequence = 17,
	.begin_ns = 1ull << 40,
	.frames = 17,
	.records = UINT64_MAX,
	.lost_before = 5,
	.bytes = 1 << 20,
	.end_ns = (1ull << 40) + 7,
	.own_frames = 2,
	.own_records = 99,
	.lost = 1,
	.families = 6,
	.first_step = 12,
	.last_step = 13,
};

TEST(segment_head_round_trip)
{
	uint8_t bytes[SEGMENT_HEAD_BYTES];
	struct segment_head head;

	assert_int_equal(segment_head_write(bytes, &segment_of_test), sizeof(bytes));
	assert_int_equal(segment_head_read(bytes, sizeof(bytes), &head), EVT_OK);
	assert_memory_equal(&head, &segment_of_test, sizeof(head));
	for (size_t length = 0; length < sizeof(bytes); length++)
		assert_int_equal(segment_head_read(bytes, length, &head), EVT_TRUNCATED);
}

TEST(segment_head_flipped_bits_are_seen)
{
	uint8_t bytes[SEGMENT_HEAD_BYTES];
	struct segment_head head;

	segment_head_write(bytes, &segment_of_test);
	for (size_t bit = 0; bit < 8 * sizeof(bytes); bit++) {
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		/* a longer payload is that of a later version */
		if (bit < 32 || bit >= 64)
			assert_int_not_equal(segment_head_read(bytes, sizeof(bytes), &head),
					     EVT_OK);
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

TEST(segment_index_round_trip)
{
	struct segment_entry entry[3], read[3];
	uint8_t bytes[1024];
	size_t length;

	for (unsigned int i = 0; i < 3; i++)
		entry[i] = (struct segment_entry){ 1000 - i, segment_of_test };
	length = segment_index_write(bytes, entry, 3);
	assert_int_equal(length, segment_index_length(3));
	assert_int_equal(segment_index_find(bytes + length - SEGMENT_INDEX_FOOT), length);
	assert_int_equal(segment_index_read(bytes, length, read, 3), EVT_OK);
	assert_memory_equal(read, entry, sizeof(read));
	for (size_t bit = 0; bit < 8 * length; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_int_not_equal(segment_index_read(bytes, length, read, 3), EVT_OK);
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	memset(bytes, 0xff, SEGMENT_INDEX_FOOT);
	assert_int_equal(segment_index_find(bytes), 0);
}

TEST(segment_digest_round_trip)
{
	uint8_t bytes[SEGMENT_DIGEST_HEAD];
	uint64_t number;
	size_t frame;

	assert_int_equal(segment_digest_write(bytes, 7, 1000), sizeof(bytes));
	assert_int_equal(segment_digest_read(bytes, sizeof(bytes), &number, &frame), EVT_OK);
	assert_int_equal(number, 7);
	assert_int_equal(frame, 1000);
	assert_int_equal(segment_digest_read(bytes, sizeof(bytes) - 1, &number, &frame),
			 EVT_TRUNCATED);
	bytes[12]++;
	assert_int_equal(segment_digest_read(bytes, sizeof(bytes), &number, &frame), EVT_FOREIGN);
}

TEST(segment_gone_round_trip)
{
	const struct segment_gone gone = { 4, 30, 1000, 2, 10, 20 };
	uint8_t bytes[SEGMENT_GONE_BYTES];
	struct segment_gone read;
	uint32_t payload;

	assert_int_equal(segment_gone_write(bytes, &gone, SEGMENT_GONE_MAX), sizeof(bytes));
	memcpy(&payload, bytes + 4, sizeof(payload));
	assert_int_equal(payload, SEGMENT_GONE_MAX - FILE_SKIPPABLE_HEAD);
	assert_int_equal(segment_gone_read(bytes, sizeof(bytes), &read), EVT_OK);
	assert_memory_equal(&read, &gone, sizeof(read));
	bytes[20] ^= 1;
	assert_int_equal(segment_gone_read(bytes, sizeof(bytes), &read), EVT_CHECKSUM);
}

/* A head that lies in two pages could be torn when its writer is killed. */
TEST(segment_heads_lie_in_one_page)
{
	for (uint64_t offset = 0; offset < 2 * SEGMENT_PAGE; offset++) {
		size_t pad = segment_pad_bytes(offset, SEGMENT_HEAD_BYTES, 0);
		uint64_t head = offset + pad;

		assert_true(pad == 0 || pad >= FILE_SKIPPABLE_HEAD);
		assert_int_equal(head / SEGMENT_PAGE,
				 (head + SEGMENT_HEAD_BYTES - 1) / SEGMENT_PAGE);
		pad = segment_pad_bytes(offset, SEGMENT_HEAD_BYTES, 1);
		assert_true(pad == 0 || pad >= FILE_SKIPPABLE_HEAD);
		assert_int_equal((offset + pad) % SEGMENT_PAGE, 0);
	}
}
