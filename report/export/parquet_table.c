/* SPDX-License-Identifier: MIT */
/* A table as a Parquet file. Numbers of fields are those of parquet.thrift. */
#include "report/export/parquet_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/base/descriptor.h"
#include "report/base/memory.h"
#include "report/export/delta_pack.h"
#include "report/export/thrift.h"

#define MAGIC "PAR1"
#define MAGIC_BYTES 4
#define STATISTICS_TEXT_MAX 200u /* longer texts are left out of the statistics */

enum { TYPE_INT64 = 2, TYPE_BYTES = 6 };
enum { CONVERTED_UTF8 = 0 };
enum parquet_encoding {
	ENCODING_PLAIN = 0,
	ENCODING_RLE = 3,
	ENCODING_DELTA = 5, /* DELTA_BINARY_PACKED */
	ENCODING_DICTIONARY = 8,
};
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };
enum { CODEC_ZSTD = 6 };

/* A column chunk, as in its metadata. */
struct chunk {
	const struct parquet_column *column;
	enum parquet_encoding encoding;  /* of its values */
	uint64_t dictionary_at, data_at; /* offsets in the file; dictionary_at 0: it has none */
	uint64_t bytes, packed_bytes;    /* with headers */
	uint64_t nulls;
	int64_t least, greatest; /* for a text its number */
	bool has_range;
};

static int text_compare(const struct interned_text *a, const struct interned_text *b)
{
	size_t both = a->length < b->length ? a->length : b->length;
	int order = memcmp(a->text, b->text, both);

	return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* --- rows --- */

bool parquet_table_put(struct parquet_table *table, const struct parquet_cell *cell)
{
	if (table->rows == table->room) {
		table->room = table->room ? table->room * 2 : 64;
		for (uint32_t i = 0; i < table->columns; i++) {
			table->value[i] = memory_grow(table->value[i], table->room,
						      sizeof(int64_t));
			table->is_null[i] = memory_grow(table->is_null[i], table->room, 1);
		}
	}
	for (uint32_t i = 0; i < table->columns; i++) {
		table->value[i][table->rows] = cell[i].value;
		table->is_null[i][table->rows] = cell[i].is_null && table->column[i].is_optional;
	}
	return ++table->rows >= PARQUET_GROUP_ROWS;
}

uint64_t parquet_table_bytes(const struct parquet_table *table)
{
	return (uint64_t)table->rows * table->columns * (sizeof(int64_t) + 1);
}

static void table_free_rows(struct parquet_table *table)
{
	for (uint32_t i = 0; i < table->columns; i++) {
		free(table->value[i]);
		free(table->is_null[i]);
		table->value[i] = NULL;
		table->is_null[i] = NULL;
	}
	table->room = 0;
}

/* --- the file --- */

static void write_bytes(struct parquet_writer *writer, struct parquet_table *table, int descriptor,
			const void *bytes, size_t length)
{
	table->length += length;
	writer->bytes += length;
	if (writer->failed || descriptor_write(descriptor, bytes, length))
		return;
	snprintf(writer->request->message, sizeof(writer->request->message),
		 "cannot write '%.300s': %s; it is incomplete", table->path,
		 strerror(errno ? errno : EIO));
	writer->failed = true;
}

/* -1 if the writer failed. */
static int table_open(struct parquet_table *table, struct parquet_writer *writer)
{
	int descriptor = writer->failed ? -1
					: request_open_file(writer->request, table->path,
							    table->length != 0);

	if (descriptor < 0) {
		writer->failed = true;
		return -1;
	}
	if (!table->length)
		write_bytes(writer, table, descriptor, MAGIC, MAGIC_BYTES);
	return descriptor;
}

static void table_shut(const struct parquet_table *table, struct parquet_writer *writer,
		       int descriptor)
{
	if (!close(descriptor) || writer->failed)
		return;
	snprintf(writer->request->message, sizeof(writer->request->message),
		 "cannot write '%.300s': %s; it is incomplete", table->path, strerror(errno));
	writer->failed = true;
}

/* --- pages --- */

static void put_int64(struct message *page, uint64_t value)
{
	const struct message bytes = { .byte = (uint8_t *)&value, .length = sizeof(value) };

	message_append(page, &bytes); /* the machine is little endian, like the file */
}

static void put_length(struct message *page, size_t length)
{
	for (unsigned int i = 0; i < 4; i++)
		message_byte(page, (uint8_t)(length >> 8 * i));
}

/* Definition levels: 1 where there is a value. */
static void parquet_table_put_levels(struct message *page, const uint8_t *is_null, uint32_t rows,
				     uint64_t nulls)
{
	struct message run = { .length = 0 };

	if (nulls) {
		message_varint(&run, (uint64_t)((rows + 7) / 8) << 1 | 1);
		for (uint32_t i = 0; i < rows; i += 8) {
			uint8_t bits = 0;

			for (uint32_t k = 0; k < 8 && i + k < rows; k++)
				bits |= (uint8_t)(!is_null[i + k] << k);
			message_byte(&run, bits);
		}
	} else {
		message_varint(&run, (uint64_t)rows << 1);
		message_byte(&run, 1);
	}
	put_length(page, run.length);
	message_append(page, &run);
	free(run.byte);
}

static void parquet_page_pack(struct parquet_page *page, bool is_dictionary)
{
	page_codec_run(&page->codec, page->bytes.byte, page->bytes.length, is_dictionary);
}

/* `page` is compressed already. */
static void parquet_table_page_write(struct parquet_writer *writer, struct parquet_table *table,
				     int descriptor, struct chunk *chunk,
				     const struct parquet_page *page, bool is_dictionary,
				     uint32_t values)
{
	struct message *header = &writer->header;
	int last = 0, inner = 0;

	header->length = 0;
	thrift_int(header, &last, 1, THRIFT_I32, is_dictionary ? PAGE_DICTIONARY : PAGE_DATA);
	thrift_int(header, &last, 2, THRIFT_I32, (int64_t)page->bytes.length);
	thrift_int(header, &last, 3, THRIFT_I32, (int64_t)page->codec.length);
	thrift_field(header, &last, is_dictionary ? 7 : 5, THRIFT_STRUCT);
	thrift_int(header, &inner, 1, THRIFT_I32, values);
	thrift_int(header, &inner, 2, THRIFT_I32, is_dictionary ? ENCODING_PLAIN : chunk->encoding);
	if (!is_dictionary) {
		thrift_int(header, &inner, 3, THRIFT_I32, ENCODING_RLE);
		thrift_int(header, &inner, 4, THRIFT_I32, ENCODING_RLE);
	}
	thrift_stop(header);
	thrift_stop(header);
	if (is_dictionary)
		chunk->dictionary_at = table->length;
	else
		chunk->data_at = table->length;
	chunk->bytes += header->length + page->bytes.length;
	chunk->packed_bytes += header->length + page->codec.length;
	write_bytes(writer, table, descriptor, header->byte, header->length);
	write_bytes(writer, table, descriptor, page->codec.byte, page->codec.length);
}

static void note_range(struct chunk *chunk, const struct parquet_writer *writer, int64_t value)
{
	const struct interned_text *text = writer->texts.text;
	bool is_text = chunk->column->is_text;

	if (!chunk->has_range)
		chunk->least = chunk->greatest = value;
	chunk->has_range = true;
	if (is_text ? text_compare(&text[value], &text[chunk->least]) < 0 : value < chunk->least)
		chunk->least = value;
	if (is_text ? text_compare(&text[value], &text[chunk->greatest]) > 0
		    : value > chunk->greatest)
		chunk->greatest = value;
}

static void parquet_table_put_plain(struct parquet_writer *writer,
				    const struct parquet_table *table, uint32_t at,
				    struct chunk *chunk)
{
	for (uint32_t i = 0; i < table->rows; i++)
		if (!table->is_null[at][i]) {
			note_range(chunk, writer, table->value[at][i]);
			put_int64(&writer->page.bytes, (uint64_t)table->value[at][i]);
		}
}

static void parquet_table_put_deltas(struct message *out, const struct parquet_table *table,
				     uint32_t at, uint64_t nulls)
{
	struct delta_pack pack;

	delta_pack_begin(&pack, out, table->rows - nulls);
	for (uint32_t i = 0; i < table->rows; i++)
		if (!table->is_null[at][i])
			delta_pack_put(&pack, table->value[at][i]);
	delta_pack_end(&pack);
}

/*
 * Fills writer->page with the texts and in_dictionary with the index of each value; returns the
 * number of texts.
 */
static uint32_t make_dictionary(struct parquet_writer *writer, const struct parquet_table *table,
				uint32_t at, struct chunk *chunk)
{
	uint32_t count = 0;

	map_clear(&writer->dictionary);
	for (uint32_t i = 0; i < table->rows; i++) {
		const struct interned_text *text;
		struct map_entry *entry;
		bool added;

		if (table->is_null[at][i])
			continue;
		entry = map_put(&writer->dictionary, (uint64_t)table->value[at][i] + 1, &added);
		writer->in_dictionary[i] = (uint32_t)entry->value;
		if (!added)
			continue;
		writer->in_dictionary[i] = count;
		entry->value = count++;
		note_range(chunk, writer, table->value[at][i]);
		text = &writer->texts.text[table->value[at][i]];
		put_length(&writer->page.bytes, text->length);
		message_append(&writer->page.bytes,
			       &(struct message){ .byte = (uint8_t *)(uintptr_t)text->text,
						  .length = text->length });
	}
	return count;
}

/* One bit-packed run: values from the lowest bit on, filled up to a multiple of eight. */
static void put_places(struct parquet_writer *writer, const struct parquet_table *table,
		       uint32_t at, uint32_t texts, uint64_t values)
{
	struct message *page = &writer->page.bytes;
	unsigned int width = texts > 2 ? 32u - (unsigned int)__builtin_clz(texts - 1) : 1, bits = 0;
	uint64_t gathered = 0, rest = (8 - values % 8) % 8;

	message_byte(page, (uint8_t)width);
	message_varint(page, (values + 7) / 8 << 1 | 1);
	for (uint64_t i = 0; i < table->rows + rest; i++) {
		if (i < table->rows && table->is_null[at][i])
			continue;
		gathered |= (i < table->rows ? (uint64_t)writer->in_dictionary[i] : 0) << bits;
		for (bits += width; bits >= 8; bits -= 8, gathered >>= 8)
			message_byte(page, (uint8_t)gathered);
	}
}

static void parquet_page_begin(struct parquet_page *page, const struct parquet_table *table,
			       uint32_t at, const struct chunk *chunk)
{
	page->bytes.length = 0;
	if (chunk->column->is_optional)
		parquet_table_put_levels(&page->bytes, table->is_null[at], table->rows,
					 chunk->nulls);
}

static void parquet_table_write_texts(struct parquet_writer *writer, struct parquet_table *table,
				      int descriptor, uint32_t at, struct chunk *chunk)
{
	struct parquet_page *page = &writer->page;
	uint32_t texts;

	page->bytes.length = 0;
	texts = make_dictionary(writer, table, at, chunk);
	parquet_page_pack(page, true);
	parquet_table_page_write(writer, table, descriptor, chunk, page, true, texts);
	parquet_page_begin(page, table, at, chunk);
	put_places(writer, table, at, texts, table->rows - chunk->nulls);
	parquet_page_pack(page, false);
	chunk->encoding = ENCODING_DICTIONARY;
	parquet_table_page_write(writer, table, descriptor, chunk, page, false, table->rows);
}

/*
 * Differences are smaller for what rises or varies little, PLAIN for what repeats itself. Nothing
 * but a try tells which.
 */
static void parquet_table_write_numbers(struct parquet_writer *writer, struct parquet_table *table,
					int descriptor, uint32_t at, struct chunk *chunk)
{
	struct parquet_page *page = &writer->page;

	parquet_page_begin(&writer->page, table, at, chunk);
	parquet_table_put_plain(writer, table, at, chunk);
	parquet_page_pack(&writer->page, false);
	parquet_page_begin(&writer->packed, table, at, chunk);
	parquet_table_put_deltas(&writer->packed.bytes, table, at, chunk->nulls);
	parquet_page_pack(&writer->packed, false);
	chunk->encoding = ENCODING_PLAIN;
	if (writer->packed.codec.length < writer->page.codec.length) {
		page = &writer->packed;
		chunk->encoding = ENCODING_DELTA;
	}
	parquet_table_page_write(writer, table, descriptor, chunk, page, false, table->rows);
}

static void chunk_write(struct parquet_writer *writer, struct parquet_table *table, int descriptor,
			uint32_t at, struct chunk *chunk)
{
	for (uint32_t i = 0; i < table->rows; i++)
		chunk->nulls += table->is_null[at][i];
	if (chunk->column->is_text)
		parquet_table_write_texts(writer, table, descriptor, at, chunk);
	else
		parquet_table_write_numbers(writer, table, descriptor, at, chunk);
}

/* --- metadata --- */

static void put_bound(struct message *out, int *last, int field,
		      const struct parquet_writer *writer, const struct chunk *chunk, int64_t value)
{
	if (chunk->column->is_text)
		thrift_binary(out, last, field, writer->texts.text[value].text,
			      writer->texts.text[value].length);
	else
		thrift_binary(out, last, field, &value, sizeof(value));
}

static void put_statistics(struct message *out, const struct parquet_writer *writer,
			   const struct chunk *chunk)
{
	const struct interned_text *text = writer->texts.text;
	int last = 0;
	bool is_short = chunk->has_range && (!chunk->column->is_text ||
					     (text[chunk->least].length <= STATISTICS_TEXT_MAX &&
					      text[chunk->greatest].length <= STATISTICS_TEXT_MAX));

	thrift_int(out, &last, 3, THRIFT_I64, (int64_t)chunk->nulls);
	if (is_short) {
		put_bound(out, &last, 5, writer, chunk, chunk->greatest);
		put_bound(out, &last, 6, writer, chunk, chunk->least);
	}
	thrift_stop(out);
}

/* ColumnChunk and the ColumnMetaData in it. */
static void put_chunk(struct message *out, const struct parquet_writer *writer,
		      const struct parquet_table *table, const struct chunk *chunk)
{
	uint64_t from = chunk->dictionary_at ? chunk->dictionary_at : chunk->data_at;
	int outer = 0, last = 0;

	thrift_int(out, &outer, 2, THRIFT_I64, (int64_t)from);
	thrift_field(out, &outer, 3, THRIFT_STRUCT);
	thrift_int(out, &last, 1, THRIFT_I32, chunk->column->is_text ? TYPE_BYTES : TYPE_INT64);
	thrift_list(out, &last, 2, THRIFT_I32, chunk->dictionary_at ? 3 : 2);
	thrift_element_int(out, chunk->encoding);
	thrift_element_int(out, ENCODING_RLE);
	if (chunk->dictionary_at)
		thrift_element_int(out, ENCODING_PLAIN);
	thrift_list(out, &last, 3, THRIFT_BINARY, 1);
	thrift_element_binary(out, chunk->column->name, chunk->column->name_length);
	thrift_int(out, &last, 4, THRIFT_I32, CODEC_ZSTD);
	thrift_int(out, &last, 5, THRIFT_I64, table->rows);
	thrift_int(out, &last, 6, THRIFT_I64, (int64_t)chunk->bytes);
	thrift_int(out, &last, 7, THRIFT_I64, (int64_t)chunk->packed_bytes);
	thrift_int(out, &last, 9, THRIFT_I64, (int64_t)chunk->data_at);
	if (chunk->dictionary_at)
		thrift_int(out, &last, 11, THRIFT_I64, (int64_t)chunk->dictionary_at);
	thrift_field(out, &last, 12, THRIFT_STRUCT);
	put_statistics(out, writer, chunk);
	thrift_stop(out);
	thrift_stop(out);
}

static void put_group(struct parquet_table *table, const struct parquet_writer *writer,
		      const struct chunk *chunk, uint64_t from)
{
	struct message *out = &table->groups;
	uint64_t bytes = 0, packed = 0;
	int last = 0;

	thrift_list(out, &last, 1, THRIFT_STRUCT, table->columns);
	for (uint32_t i = 0; i < table->columns; i++) {
		put_chunk(out, writer, table, &chunk[i]);
		bytes += chunk[i].bytes;
		packed += chunk[i].packed_bytes;
	}
	thrift_int(out, &last, 2, THRIFT_I64, (int64_t)bytes);
	thrift_int(out, &last, 3, THRIFT_I64, table->rows);
	thrift_int(out, &last, 5, THRIFT_I64, (int64_t)from);
	thrift_int(out, &last, 6, THRIFT_I64, (int64_t)packed);
	thrift_stop(out);
	table->group_count++;
	table->total_rows += table->rows;
}

void parquet_table_flush(struct parquet_table *table, struct parquet_writer *writer, bool frees)
{
	struct chunk chunk[PARQUET_COLUMNS_MAX] = { 0 };
	int descriptor = table->rows ? table_open(table, writer) : -1;
	uint64_t from = table->length;

	if (descriptor >= 0) {
		writer->in_dictionary = memory_room(writer->in_dictionary, table->rows,
						    &writer->in_dictionary_room, sizeof(uint32_t));
		for (uint32_t i = 0; i < table->columns; i++) {
			chunk[i].column = &table->column[i];
			chunk_write(writer, table, descriptor, i, &chunk[i]);
		}
		put_group(table, writer, chunk, from);
		table_shut(table, writer, descriptor);
	}
	table->rows = 0;
	if (frees)
		table_free_rows(table);
}

static void put_schema(struct message *out, int *last, const struct parquet_table *table)
{
	int root = 0;

	thrift_list(out, last, 2, THRIFT_STRUCT, table->columns + 1);
	thrift_binary(out, &root, 4, "schema", strlen("schema"));
	thrift_int(out, &root, 5, THRIFT_I32, table->columns);
	thrift_stop(out);
	for (uint32_t i = 0; i < table->columns; i++) {
		const struct parquet_column *column = &table->column[i];
		int at = 0, logical = 0;

		thrift_int(out, &at, 1, THRIFT_I32, column->is_text ? TYPE_BYTES : TYPE_INT64);
		thrift_int(out, &at, 3, THRIFT_I32, column->is_optional);
		thrift_binary(out, &at, 4, column->name, column->name_length);
		if (column->is_text) {
			thrift_int(out, &at, 6, THRIFT_I32, CONVERTED_UTF8);
			thrift_field(out, &at, 10, THRIFT_STRUCT); /* LogicalType: STRING */
			thrift_field(out, &logical, 1, THRIFT_STRUCT);
			thrift_stop(out);
			thrift_stop(out);
		}
		thrift_stop(out);
	}
}

static void put_footer(struct message *out, const struct parquet_table *table,
		       const struct parquet_note *note, size_t notes)
{
	static const char made_by[] = "intercept";
	int last = 0;

	thrift_int(out, &last, 1, THRIFT_I32, 2);
	put_schema(out, &last, table);
	thrift_int(out, &last, 3, THRIFT_I64, (int64_t)table->total_rows);
	thrift_list(out, &last, 4, THRIFT_STRUCT, table->group_count);
	message_append(out, &table->groups);
	thrift_list(out, &last, 5, THRIFT_STRUCT, notes);
	for (size_t i = 0; i < notes; i++) {
		int at = 0;

		thrift_binary(out, &at, 1, note[i].key, strlen(note[i].key));
		thrift_binary(out, &at, 2, note[i].value, strlen(note[i].value));
		thrift_stop(out);
	}
	thrift_binary(out, &last, 6, made_by, sizeof(made_by) - 1);
	thrift_list(out, &last, 7, THRIFT_STRUCT, table->columns);
	for (uint32_t i = 0; i < table->columns; i++) {
		int at = 0;

		thrift_field(out, &at, 1, THRIFT_STRUCT); /* TypeDefinedOrder */
		thrift_stop(out);
		thrift_stop(out);
	}
	thrift_stop(out);
}

void parquet_table_close(struct parquet_table *table, struct parquet_writer *writer,
			 const struct parquet_note *note, size_t notes)
{
	struct message *out = &writer->page.bytes;
	int descriptor;

	parquet_table_flush(table, writer, true);
	descriptor = table->length ? table_open(table, writer) : -1;
	if (descriptor >= 0) {
		size_t length;

		out->length = 0;
		put_footer(out, table, note, notes);
		length = out->length;
		put_length(out, length);
		write_bytes(writer, table, descriptor, out->byte, out->length);
		write_bytes(writer, table, descriptor, MAGIC, MAGIC_BYTES);
		table_shut(table, writer, descriptor);
	}
	free(table->groups.byte);
	free(table->path);
	*table = (struct parquet_table){ 0 };
}

void parquet_writer_release(struct parquet_writer *writer)
{
	interned_release(&writer->texts);
	page_codec_release(&writer->page.codec);
	page_codec_release(&writer->packed.codec);
	map_release(&writer->dictionary);
	free(writer->page.bytes.byte);
	free(writer->packed.bytes.byte);
	free(writer->header.byte);
	free(writer->in_dictionary);
}
