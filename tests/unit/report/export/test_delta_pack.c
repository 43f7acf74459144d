/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/export/delta_pack.c: what is packed is read again by a decoder of the test's own, written
 * from Parquet's Encodings.md; few numbers, full and cut blocks, all of 64 bits.
 */
#include "tests/unit/unit.h"
#include "report/export/delta_pack.h"

struct reader {
	const uint8_t *byte;
	size_t at, length;
};

static uint64_t read_varint(struct reader *reader)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		assert_true(reader->at < reader->length && shift < 64);
		byte = reader->byte[reader->at++];
		value |= (uint64_t)(byte & 127) << shift;
		shift += 7;
	} while (byte & 128);
	return value;
}

static uint64_t read_zigzag(struct reader *reader)
{
	uint64_t value = read_varint(reader);

	return value >> 1 ^ -(value & 1);
}

static uint64_t read_bits(const struct reader *reader, size_t bit, unsigned int width)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < width; i++, bit++) {
		assert_true(reader->at + bit / 8 < reader->length);
		value |= (uint64_t)(reader->byte[reader->at + bit / 8] >> bit % 8 & 1) << i;
	}
	return value;
}

/* Returns the number of values; all bytes are read. */
static uint64_t unpack(const struct message *packed, int64_t *ret_value)
{
	struct reader reader = { packed->byte, 0, packed->length };
	uint64_t block = read_varint(&reader), parts = read_varint(&reader);
	uint64_t total = read_varint(&reader), last = read_zigzag(&reader), got = 0;

	assert_true(block % 128 == 0 && block / parts % 32 == 0);
	if (total)
		ret_value[got++] = (int64_t)last;
	while (got < total) {
		uint64_t least = read_zigzag(&reader);
		const uint8_t *width = reader.byte + reader.at;

		reader.at += parts;
		for (unsigned int part = 0; part < parts && got < total; part++) {
			for (unsigned int i = 0; i < block / parts && got < total; i++) {
				last += least +
					read_bits(&reader, (size_t)i * width[part], width[part]);
				ret_value[got++] = (int64_t)last;
			}
			reader.at += block / parts * width[part] / 8;
		}
	}
	assert_true(reader.at == reader.length);
	return total;
}

/* Returns the bytes that they take. */
static size_t keeps(const int64_t *value, uint64_t count)
{
	int64_t *read = malloc((count + 1) * sizeof(*read));
	struct message packed = { .length = 0 };
	struct delta_pack pack;
	size_t length;

	delta_pack_begin(&pack, &packed, count);
	for (uint64_t i = 0; i < count; i++)
		delta_pack_put(&pack, value[i]);
	delta_pack_end(&pack);
	assert_true(unpack(&packed, read) == count);
	for (uint64_t i = 0; i < count; i++)
		assert_true(read[i] == value[i]);
	length = packed.length;
	free(packed.byte);
	free(read);
	return length;
}

TEST(test_delta_pack_small)
{
	const int64_t value[] = { INT64_MIN, INT64_MAX, -1, 0, INT64_MAX, INT64_MIN };

	for (uint64_t count = 0; count <= 6; count++)
		keeps(value, count);
}

TEST(test_delta_pack_lengths)
{
	int64_t value[700];

	for (int i = 0; i < 700; i++)
		value[i] = 1700000000000000000 + i * 1000003LL + i % 7 * i % 11;
	for (uint64_t count = 1; count <= 700; count++)
		keeps(value, count);
	assert_true(keeps(value, 700) < 1000);
}

TEST(test_delta_pack_constant)
{
	int64_t value[1025];

	for (int i = 0; i < 1025; i++)
		value[i] = -5;
	assert_true(keeps(value, 1025) == 6 + 8 * 5);
}

TEST(test_delta_pack_random)
{
	int64_t value[1000];
	uint64_t random = 88172645463325252u;

	for (unsigned int width = 1; width <= 64; width++) {
		for (int i = 0; i < 1000; i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			value[i] = (int64_t)(random >> (64 - width));
		}
		keeps(value, 1000);
	}
}
