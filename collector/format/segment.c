/* SPDX-License-Identifier: MIT */
/* Heads of segments as bytes: a tag, a version, numbers of 8 bytes, XXH64 of all that. */
#include "collector/format/segment.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "collector/format/codec.h"
#include "collector/format/error.h"

#define TAGGED_BYTES 8u /* tag and version */
#define HASH_BYTES 8u

/* `payload`: of the skippable frame; what follows the numbers and their hash is not written. */
static size_t tagged_write(uint8_t *bytes, uint32_t magic, uint32_t payload, uint32_t tag,
			   const uint64_t *number, size_t count)
{
	uint8_t *begin = put_u32(put_u32(bytes, magic), payload);
	uint8_t *at = put_u32(put_u32(begin, tag), SEGMENT_VERSION);

	for (size_t i = 0; i < count; i++)
		at = put_u64(at, number[i]);
	at = put_u64(at, XXH64(begin, (size_t)(at - begin), 0));
	return (size_t)(at - bytes);
}

static int tagged_read(const uint8_t *bytes, size_t length, uint32_t magic, uint32_t tag,
		       uint64_t *number, size_t count)
{
	struct cursor c = cursor_of(bytes, length);
	uint32_t found = get_u32(&c), payload = get_u32(&c);
	size_t hashed = TAGGED_BYTES + count * sizeof(*number);
	const uint8_t *begin = c.at;
	uint64_t hash;

	if (c.failed)
		return EVT_TRUNCATED;
	if (found != magic)
		return EVT_FOREIGN;
	if (payload < hashed + HASH_BYTES)
		return EVT_CORRUPT;
	if (!get_bytes(&c, hashed + HASH_BYTES))
		return EVT_TRUNCATED;
	memcpy(&hash, begin + hashed, sizeof(hash));
	if (hash != XXH64(begin, hashed, 0))
		return EVT_CHECKSUM;
	c = cursor_of(begin, hashed);
	if (get_u32(&c) != tag || get_u32(&c) != SEGMENT_VERSION)
		return EVT_CORRUPT;
	for (size_t i = 0; i < count; i++)
		number[i] = get_u64(&c);
	return EVT_OK;
}

#define NUMBERS(thing) (sizeof(thing) / sizeof(uint64_t))

size_t segment_head_write(uint8_t *bytes, const struct segment_head *head)
{
	uint64_t number[NUMBERS(*head)];

	memcpy(number, head, sizeof(number));
	return tagged_write(bytes, FILE_MAGIC_SEGMENT, SEGMENT_HEAD_BYTES - FILE_SKIPPABLE_HEAD,
			    FILE_TAG_SEGMENT, number, NUMBERS(*head));
}

size_t segment_gone_write(uint8_t *bytes, const struct segment_gone *gone, uint64_t length)
{
	uint64_t number[NUMBERS(*gone)];

	memcpy(number, gone, sizeof(number));
	return tagged_write(bytes, FILE_MAGIC_GONE, (uint32_t)(length - FILE_SKIPPABLE_HEAD),
			    FILE_TAG_GONE, number, NUMBERS(*gone));
}

size_t segment_pad_write(uint8_t *bytes, size_t length)
{
	put_u32(put_u32(bytes, FILE_MAGIC_PAD), (uint32_t)(length - FILE_SKIPPABLE_HEAD));
	return length;
}

int segment_head_read(const uint8_t *bytes, size_t length, struct segment_head *ret_head)
{
	uint64_t number[NUMBERS(*ret_head)];
	int error = tagged_read(bytes, length, FILE_MAGIC_SEGMENT, FILE_TAG_SEGMENT, number,
				NUMBERS(*ret_head));

	if (!error)
		memcpy(ret_head, number, sizeof(number));
	return error;
}

int segment_gone_read(const uint8_t *bytes, size_t length, struct segment_gone *ret_gone)
{
	uint64_t number[NUMBERS(*ret_gone)];
	int error = tagged_read(bytes, length, FILE_MAGIC_GONE, FILE_TAG_GONE, number,
				NUMBERS(*ret_gone));

	if (!error)
		memcpy(ret_gone, number, sizeof(number));
	return error;
}

size_t segment_pad_bytes(uint64_t offset, size_t head_bytes, int to_page)
{
	size_t in_page = (size_t)(offset % SEGMENT_PAGE), pad = SEGMENT_PAGE - in_page;

	if (!in_page || (!to_page && in_page + head_bytes <= SEGMENT_PAGE))
		return 0;
	return pad < FILE_SKIPPABLE_HEAD ? pad + SEGMENT_PAGE : pad;
}

size_t segment_digest_write(uint8_t *bytes, uint64_t number, size_t length)
{
	uint8_t *at = put_u32(bytes, FILE_MAGIC_DIGEST);

	at = put_u32(at, (uint32_t)(SEGMENT_DIGEST_HEAD - FILE_SKIPPABLE_HEAD + length));
	at = put_u32(put_u32(at, FILE_TAG_DIGEST), SEGMENT_DIGEST_VERSION);
	at = put_u64(at, number);
	return (size_t)(at - bytes);
}

int segment_digest_read(const uint8_t *bytes, size_t length, uint64_t *ret_number,
			size_t *ret_frame)
{
	struct cursor c = cursor_of(bytes, length);
	uint32_t magic = get_u32(&c), payload = get_u32(&c);
	uint32_t tag = get_u32(&c), version = get_u32(&c);

	*ret_number = get_u64(&c);
	if (c.failed)
		return EVT_TRUNCATED;
	if (magic != FILE_MAGIC_DIGEST || tag != FILE_TAG_DIGEST ||
	    version != SEGMENT_DIGEST_VERSION)
		return EVT_FOREIGN;
	if (payload < SEGMENT_DIGEST_HEAD - FILE_SKIPPABLE_HEAD)
		return EVT_CORRUPT;
	*ret_frame = payload - (SEGMENT_DIGEST_HEAD - FILE_SKIPPABLE_HEAD);
	return EVT_OK;
}

size_t segment_index_length(size_t count)
{
	return FILE_SKIPPABLE_HEAD + TAGGED_BYTES + count * sizeof(struct segment_entry) +
	       SEGMENT_INDEX_FOOT;
}

size_t segment_index_write(uint8_t *bytes, const struct segment_entry *entry, size_t count)
{
	size_t length = segment_index_length(count);
	uint8_t *begin = put_u32(put_u32(bytes, FILE_MAGIC_INDEX),
				 (uint32_t)(length - FILE_SKIPPABLE_HEAD));
	uint8_t *at = put_u32(put_u32(begin, FILE_TAG_INDEX), SEGMENT_VERSION);

	for (size_t i = 0; i < count; i++) {
		uint64_t number[NUMBERS(*entry)];

		memcpy(number, &entry[i], sizeof(number));
		for (size_t j = 0; j < NUMBERS(*entry); j++)
			at = put_u64(at, number[j]);
	}
	at = put_u64(at, count);
	put_u64(at, XXH64(begin, (size_t)(at - begin), 0));
	return length;
}

size_t segment_index_find(const uint8_t *bytes)
{
	struct cursor c = cursor_of(bytes, SEGMENT_INDEX_FOOT);
	uint64_t count = get_u64(&c);

	return count && count <= SEGMENT_INDEX_MAX ? segment_index_length((size_t)count) : 0;
}

int segment_index_read(const uint8_t *bytes, size_t length, struct segment_entry *ret_entry,
		       size_t count)
{
	struct cursor c = cursor_of(bytes, length);
	size_t hashed = length - FILE_SKIPPABLE_HEAD - HASH_BYTES;
	uint64_t hash;

	if (length != segment_index_length(count))
		return EVT_TRUNCATED;
	memcpy(&hash, bytes + length - HASH_BYTES, sizeof(hash));
	if (get_u32(&c) != FILE_MAGIC_INDEX || get_u32(&c) != length - FILE_SKIPPABLE_HEAD ||
	    get_u32(&c) != FILE_TAG_INDEX || get_u32(&c) != SEGMENT_VERSION)
		return EVT_FOREIGN;
	if (hash != XXH64(bytes + FILE_SKIPPABLE_HEAD, hashed, 0))
		return EVT_CHECKSUM;
	for (size_t i = 0; i < count; i++) {
		uint64_t number[NUMBERS(*ret_entry)] = { 0 };

		for (size_t j = 0; j < NUMBERS(*ret_entry); j++)
			number[j] = get_u64(&c);
		memcpy(&ret_entry[i], number, sizeof(number));
	}
	return EVT_OK;
}
