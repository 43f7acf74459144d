/* SPDX-License-Identifier: MIT */
/*
 * In a data frame, only blocks of stream 0 that have texts are rewritten: the column of texts, and
 * the lengths in front of the columns. docs/FORMAT.md describes the layout.
 */
#include "report/raw/redact_frame.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "collector/format/block.h"
#include "collector/format/codec.h"
#include "collector/format/file.h"
#include "collector/format/layout.h"
#include "report/base/memory.h"

#define HEAD_LENGTH_AT 4u
#define KIND_BYTES_AT 60u
#define STACK_BYTES_AT 68u
#define COLUMNS_MAX_OF_BLOCK COLUMN_LIMIT
#define SYMBOL_TEXTS_BEFORE 4u /* path, build-id, and two empty texts */

static void bytes_put(struct redact_bytes *into, const void *bytes, size_t length)
{
	if (into->length + length > into->room) {
		into->room = 2 * (into->length + length);
		into->at = memory_grow(into->at, into->room, 1);
	}
	if (length)
		memcpy(into->at + into->length, bytes, length);
	into->length += length;
}

static void bytes_put_varint(struct redact_bytes *into, uint64_t value)
{
	uint8_t varint[CODEC_VARINT_MAX];

	bytes_put(into, varint, (size_t)(put_varint(varint, value) - varint));
}

/* Appends the redacted text. `is_symbol`: the text is of a symbol frame, and has no id. */
static void bytes_put_text(struct redact_bytes *into, const struct redact_texts *texts, uint64_t id,
			   const uint8_t *text, size_t length, bool is_symbol)
{
	char *own = memory_grow(NULL, length + REDACT_HOST_BYTES, 1);

	memcpy(own, text, length);
	length = is_symbol ? redact_symbol_text(texts, own, length)
			   : redact_text(texts, id, own, length);
	bytes_put_varint(into, length);
	bytes_put(into, own, length);
	free(own);
}

/* --- data --- */

struct block_column {
	uint64_t key;
	const uint8_t *bytes;
	size_t length;
};

/* Ids and texts correspond: each field of type `string` has one id and one text. */
static int texts_column(const struct redact_texts *texts, const struct block_column *ids,
			const struct block_column *column, struct redact_bytes *into)
{
	struct cursor id = cursor_of(ids->bytes, ids->length);
	struct cursor text = cursor_of(column->bytes, column->length);

	while (cursor_left(&text)) {
		uint64_t number = get_varint(&id), length = get_varint(&text);
		const uint8_t *bytes = get_bytes(&text, length);

		if (id.failed || text.failed)
			return -1;
		bytes_put_text(into, texts, number, bytes, (size_t)length, false);
	}
	return cursor_left(&id) ? -1 : 0;
}

static int redact_frame_block_read(struct cursor *c, struct block_column *column, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		column[i].key = get_varint(c);
		column[i].length = (size_t)get_varint(c);
	}
	for (size_t i = 0; i < count && !c->failed; i++)
		column[i].bytes = get_bytes(c, column[i].length);
	return c->failed ? -1 : 0;
}

static const struct block_column *column_find(const struct block_column *column, size_t count,
					      uint64_t key)
{
	for (size_t i = 0; i < count; i++)
		if (column[i].key == key)
			return &column[i];
	return NULL;
}

static void block_put(struct redact_bytes *into, const struct block_column *column, size_t count)
{
	bytes_put_varint(into, count);
	for (size_t i = 0; i < count; i++) {
		bytes_put_varint(into, column[i].key);
		bytes_put_varint(into, column[i].length);
	}
	for (size_t i = 0; i < count; i++)
		bytes_put(into, column[i].bytes, column[i].length);
}

static int block_redact(const struct redact_texts *texts, struct cursor *c,
			struct redact_bytes *into)
{
	static const struct block_column none;
	struct redact_bytes changed = { NULL, 0, 0 };
	uint64_t stream = get_varint(c), records = get_varint(c), count = get_varint(c);
	struct block_column *column;
	const struct block_column *ids, *strings;
	int error;

	if (c->failed || count > COLUMNS_MAX_OF_BLOCK)
		return -1;
	column = memory_zero((size_t)count + 1, sizeof(*column));
	error = redact_frame_block_read(c, column, (size_t)count);
	ids = column_find(column, (size_t)count, column_of_field(EVT_string, 0));
	strings = column_find(column, (size_t)count, column_of_field(EVT_string, 1));
	if (!error && strings) {
		error = texts_column(texts, ids ? ids : &none, strings, &changed);
		column[strings - column].bytes = changed.at;
		column[strings - column].length = changed.length;
	}
	if (!error) {
		bytes_put_varint(into, stream);
		bytes_put_varint(into, records);
		block_put(into, column, (size_t)count);
	}
	free(changed.at);
	free(column);
	return error;
}

static uint32_t word_at(const uint8_t *bytes, size_t at)
{
	struct cursor c = cursor_of(bytes + at, sizeof(uint32_t));

	return get_u32(&c);
}

/* Returns the place where the blocks begin; 0: not found. */
static size_t blocks_begin(const uint8_t *bytes, size_t length)
{
	uint64_t head, begin;

	if (length < FRAME_HEADER_BYTES)
		return 0;
	head = word_at(bytes, HEAD_LENGTH_AT);
	if (head < FRAME_HEADER_BYTES || head > length)
		return 0;
	begin = head + word_at(bytes, KIND_BYTES_AT);
	if (head >= FRAME_HEADER_STACKS_BYTES)
		begin += word_at(bytes, STACK_BYTES_AT);
	return begin <= length ? (size_t)begin : 0;
}

int redact_frame(const struct redact_texts *texts, const uint8_t *bytes, size_t length,
		 struct redact_bytes *into)
{
	size_t begin = blocks_begin(bytes, length);
	struct cursor c = cursor_of(bytes + begin, length - begin);

	into->length = 0;
	if (!begin)
		return -1;
	bytes_put(into, bytes, begin);
	while (cursor_left(&c))
		if (block_redact(texts, &c, into))
			return -1;
	return 0;
}

/* --- symbols --- */

static int symbols_put_texts(const struct redact_texts *texts, struct cursor *c, uint64_t count,
			     struct redact_bytes *into)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t length = get_varint(c);
		const uint8_t *text = get_bytes(c, length);

		if (c->failed)
			return -1;
		bytes_put_text(into, texts, 0, text, (size_t)length, true);
	}
	return 0;
}

int redact_symbols(const struct redact_texts *texts, const uint8_t *bytes, size_t length,
		   struct redact_bytes *into)
{
	uint64_t version, process, count, hash;
	struct cursor c;

	into->length = 0;
	if (length < sizeof(hash) + 4)
		return -1;
	hash = XXH64(bytes, length - sizeof(hash), 0);
	if (memcmp(&hash, bytes + length - sizeof(hash), sizeof(hash)) != 0)
		return -1;
	c = cursor_of(bytes, length - sizeof(hash));
	if (get_u32(&c) != FILE_TAG_SYMBOLS)
		return -1;
	version = get_varint(&c);
	process = get_varint(&c);
	if (c.failed || version != 1)
		return -1;
	bytes_put(into, bytes, 4);
	bytes_put_varint(into, version);
	bytes_put_varint(into, process);
	if (symbols_put_texts(texts, &c, SYMBOL_TEXTS_BEFORE, into))
		return -1;
	count = get_varint(&c);
	bytes_put_varint(into, count);
	if (c.failed || symbols_put_texts(texts, &c, count, into))
		return -1;
	bytes_put(into, c.at, cursor_left(&c));
	hash = XXH64(into->at, into->length, 0);
	bytes_put(into, &hash, sizeof(hash));
	return 0;
}
