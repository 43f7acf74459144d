/* SPDX-License-Identifier: MIT */
/*
 * Header, end marker and seek table: round trips, every truncation and every flipped bit.
 */
/* links: format */
#include "tests/unit/unit.h"
#include "collector/format/codec.h"
#include "collector/format/error.h"
#include "collector/format/file.h"

static const struct file_header header = {
	.version = FILE_VERSION,
	.clock = 1,
	.base_mono = UINT64_MAX,
	.base_real = 1ull << 60,
	.tsc_hz = 2600000000,
	.pid = 4711,
	.session = "20261121-a1b2",
	.host = "",
};

TEST(header_round_trip)
{
	uint8_t bytes[FILE_HEADER_BYTES_MAX];
	size_t length = file_header_write(bytes, &header), read_length = 0;
	struct file_header h;

	assert_int_equal(file_header_read(bytes, sizeof(bytes), &h, &read_length), 0);
	assert_int_equal(read_length, length);
	assert_true(h.version == header.version && h.clock == header.clock && h.pid == header.pid);
	assert_true(h.base_mono == header.base_mono && h.base_real == header.base_real);
	assert_true(h.tsc_hz == header.tsc_hz);
	assert_string_equal(h.session, header.session);
	assert_string_equal(h.host, header.host);
}

TEST(header_takes_longest_texts)
{
	uint8_t bytes[FILE_HEADER_BYTES_MAX];
	struct file_header in = header, out;
	size_t length, read_length;

	memset(in.session, 's', sizeof(in.session)); /* not even terminated */
	memset(in.host, 'h', sizeof(in.host) - 1);
	length = file_header_write(bytes, &in);
	assert_int_equal(file_header_read(bytes, length, &out, &read_length), 0);
	assert_int_equal(strlen(out.session), FILE_SESSION_BYTES - 1);
	assert_string_equal(out.host, in.host);
}

TEST(header_truncated_asks_for_more)
{
	uint8_t bytes[FILE_HEADER_BYTES_MAX];
	size_t length = file_header_write(bytes, &header), read_length;
	struct file_header h;

	assert_int_equal(file_header_read(bytes, 0, &h, &read_length), EVT_EMPTY);
	for (size_t cut = 1; cut < length; cut++)
		assert_int_equal(file_header_read(bytes, cut, &h, &read_length), EVT_TRUNCATED);
}

TEST(header_flipped_bit_is_found)
{
	uint8_t bytes[FILE_HEADER_BYTES_MAX];
	size_t length = file_header_write(bytes, &header), read_length;
	struct file_header h;

	for (size_t bit = 0; bit < length * 8; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_true(file_header_read(bytes, length, &h, &read_length) < 0);
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

TEST(header_names_foreign_and_newer)
{
	uint8_t bytes[FILE_HEADER_BYTES_MAX];
	struct file_header newer = header, h;
	size_t length, read_length;

	assert_int_equal(file_header_read((const uint8_t *)"#!/bin/sh\n", 10, &h, &read_length),
			 EVT_FOREIGN);
	assert_int_equal(file_header_read((const uint8_t *)"x", 1, &h, &read_length), EVT_FOREIGN);
	newer.version = FILE_VERSION_KEEP_LAST + 1;
	length = file_header_write(bytes, &newer);
	assert_int_equal(file_header_read(bytes, length, &h, &read_length), EVT_NEWER);
}

TEST(end_round_trip)
{
	const struct file_end in = { 3, 1ull << 40, 7, UINT64_MAX };
	uint8_t bytes[FILE_END_BYTES];
	struct file_end out;

	assert_int_equal(file_end_write(bytes, &in), FILE_END_BYTES);
	assert_int_equal(file_end_read(bytes, sizeof(bytes), &out), 0);
	assert_memory_equal(&in, &out, sizeof(in));
	for (size_t cut = 0; cut < sizeof(bytes); cut++)
		assert_int_equal(file_end_read(bytes, cut, &out), EVT_TRUNCATED);
	for (size_t bit = 0; bit < sizeof(bytes) * 8; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_true(file_end_read(bytes, sizeof(bytes), &out) < 0);
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

TEST(seek_table_has_the_shape_of_zstd)
{
	const struct seek_entry entry[2] = { { 10, 20 }, { 30, 40 } };
	uint8_t bytes[64];
	size_t length = file_seek_write(bytes, entry, 2);
	struct cursor c = cursor_of(bytes, length);

	assert_int_equal(length, file_seek_length(2));
	assert_int_equal(get_u32(&c), FILE_MAGIC_SEEK);
	assert_int_equal(get_u32(&c), length - FILE_SKIPPABLE_HEAD);
	for (uint32_t i = 1; i <= 4; i++)
		assert_int_equal(get_u32(&c), 10 * i);
	assert_int_equal(get_u32(&c), 2);
	assert_int_equal(*get_bytes(&c, 1), 0);
	assert_int_equal(get_u32(&c), 0x8F92EAB1);
	assert_int_equal(cursor_left(&c), 0);
}
