/* SPDX-License-Identifier: MIT */
/*
 * The numbers of the format: varint, zigzag, the cursor's bounds, and what events.def says of
 * itself.
 */
/* links: format */
#include "tests/unit/unit.h"
#include "collector/format/codec.h"
#include "collector/format/error.h"
#include "collector/format/events.h"
#include "collector/format/layout.h"

static const uint64_t edges[] = { 0,          1,          2,          15,         16,
				  127,        128,        129,        16383,      16384,
				  1ull << 31, 1ull << 32, 1ull << 47, 1ull << 63, UINT64_MAX - 1,
				  UINT64_MAX };
#define EDGES (sizeof(edges) / sizeof(edges[0]))

TEST(varint_round_trip)
{
	for (size_t i = 0; i < EDGES; i++) {
		uint8_t bytes[CODEC_VARINT_MAX];
		uint8_t *end = put_varint(bytes, edges[i]);
		struct cursor c = cursor_of(bytes, (size_t)(end - bytes));

		assert_true(get_varint(&c) == edges[i]);
		assert_false(c.failed);
		assert_ptr_equal(c.at, end);
	}
}

TEST(varint_truncated_fails)
{
	for (size_t i = 0; i < EDGES; i++) {
		uint8_t bytes[CODEC_VARINT_MAX];
		size_t length = (size_t)(put_varint(bytes, edges[i]) - bytes);

		for (size_t cut = 0; cut < length; cut++) {
			struct cursor c = cursor_of(bytes, cut);

			assert_int_equal(get_varint(&c), 0);
			assert_true(c.failed);
		}
	}
}

TEST(varint_above_64_bits_fails)
{
	const uint8_t more[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2 };
	const uint8_t longer[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0 };
	struct cursor c = cursor_of(more, sizeof(more));

	get_varint(&c);
	assert_true(c.failed);
	c = cursor_of(longer, sizeof(longer));
	get_varint(&c);
	assert_true(c.failed);
}

TEST(zigzag_round_trip)
{
	for (size_t i = 0; i < EDGES; i++)
		assert_true((uint64_t)unzigzag(zigzag((int64_t)edges[i])) == edges[i]);
	assert_int_equal(zigzag(-1), 1);
	assert_int_equal(zigzag(1), 2);
}

TEST(cursor_refuses_what_is_not_there)
{
	const uint8_t bytes[7] = { 0 };
	struct cursor c = cursor_of(bytes, sizeof(bytes));

	assert_int_equal(get_u64(&c), 0);
	assert_true(c.failed);
	c = cursor_of(bytes, sizeof(bytes));
	assert_null(get_bytes(&c, UINT64_MAX));
	assert_true(c.failed);
	assert_ptr_equal(c.at, bytes);
}

TEST(address_code_round_trip)
{
	for (size_t i = 0; i < EDGES; i++) {
		for (size_t j = 0; j < EDGES; j++)
			assert_true(address_of_code(address_code(edges[i], edges[j]), edges[j]) ==
				    edges[i]);
	}
}

TEST(step_code_round_trip)
{
	for (size_t i = 0; i < EDGES; i++) {
		for (size_t j = 0; j < EDGES; j++)
			assert_true(step_of_code(step_code(edges[i], edges[j]), edges[j]) ==
				    edges[i]);
	}
	/* each number has a code of its own, near 0 and where numbers wrap */
	for (uint64_t last = (uint64_t)-9; last != 9; last++)
		for (uint64_t number = (uint64_t)-9; number != 9; number++)
			assert_true(step_of_code(step_code(number, last), last) == number);
	assert_int_equal(step_code(8, 7), 0);
	assert_int_equal(step_code(0, 7), 1);
	assert_int_equal(step_code(7, 7), 15); /* that of 0 */
	assert_int_equal(step_code(9, 7), 2);
}

TEST(size_code_round_trip)
{
	for (size_t i = 0; i < EDGES; i++) {
		for (size_t j = 0; j < EDGES; j++)
			assert_true(size_of_code(size_code(edges[i], edges[j]), edges[j]) ==
				    edges[i]);
	}
}

TEST(descriptors_match_structs)
{
#define EVENT(id, name_, family_, doc_)                                     \
	assert_string_equal(evt_descriptors[id].name, #name_);              \
	assert_int_equal(evt_descriptors[id].family, EVT_FAMILY_##family_); \
	assert_true(sizeof(struct evt_##name_) <= EVT_WORDS_MAX * 8);
#include "collector/format/events.def"
	assert_null(evt_descriptors[0].name);
}

TEST(every_code_has_a_text)
{
	for (int i = 0; i < EVT_FAMILY_LIMIT; i++)
		assert_non_null(evt_family_names[i]);
	for (int i = 0; i < EVT_LOST_LIMIT_COUNT; i++)
		assert_non_null(evt_lost_reasons[i]);
	for (int i = EVT_END; i <= 0; i++)
		assert_string_not_equal(evt_error_text(i), evt_error_text(-1000));
	assert_string_equal(evt_error_text(-1000), "unknown error");
}
