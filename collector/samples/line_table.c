/* SPDX-License-Identifier: MIT */
/* See line_table.h. The forms are described in CPython's Objects/lnotab_notes.txt and Objects/locations.md. */
#include "collector/samples/line_table.h"

#include <stdbool.h>

#define NO_LINE (-128) /* of a range */

static uint32_t line_of(int64_t line)
{
	return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

/* 3.8, 3.9: (bytes, lines) to go on; an instruction is of the last line that begins at or before it. */
static uint32_t find_lnotab(const struct line_table *table, uint32_t offset)
{
	int64_t line = table->first_line;
	uint64_t at = 0;

	for (size_t i = 0; i + 1 < table->length; i += 2) {
		at += table->bytes[i];
		if (at > offset)
			break;
		line += (int8_t)table->bytes[i + 1];
	}
	return line_of(line);
}

/* 3.10: (bytes, lines) of ranges, the lines to go on before it. */
static uint32_t find_range(const struct line_table *table, uint32_t offset)
{
	int64_t line = table->first_line;
	uint64_t end = 0;

	for (size_t i = 0; i + 1 < table->length; i += 2) {
		int8_t delta = (int8_t)table->bytes[i + 1];

		end += table->bytes[i];
		if (delta != NO_LINE)
			line += delta;
		if (offset < end)
			return delta == NO_LINE ? 0 : line_of(line);
	}
	return 0;
}

struct reader {
	const uint8_t *at, *end;
};

static uint32_t read_byte(struct reader *reader)
{
	return reader->at < reader->end ? *reader->at++ : 0;
}

/* Six bits a byte, the lowest first; the seventh says that another follows. */
static uint64_t read_varint(struct reader *reader)
{
	uint32_t byte = read_byte(reader);
	uint64_t value = byte & 63;

	for (unsigned int shift = 6; byte & 64 && shift < 60; shift += 6) {
		byte = read_byte(reader);
		value |= (uint64_t)(byte & 63) << shift;
	}
	return value;
}

static int64_t read_signed(struct reader *reader)
{
	uint64_t value = read_varint(reader);

	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

enum location {
	LOCATION_ONE_LINE = 10, /* 10 to 12: lines to go on, below: none */
	LOCATION_NO_COLUMNS = 13,
	LOCATION_LONG = 14,
	LOCATION_NONE = 15,
};

/* The lines that an entry goes on; the rest of it is passed over. */
static int64_t read_location(struct reader *reader, unsigned int code)
{
	int64_t delta = 0;

	if (code >= LOCATION_NO_COLUMNS && code < LOCATION_NONE)
		delta = read_signed(reader);
	else if (code >= LOCATION_ONE_LINE && code < LOCATION_NO_COLUMNS)
		delta = code - LOCATION_ONE_LINE;
	return delta;
}

/* An entry's first byte, and none of the others, has the highest bit. */
static void skip_entry(struct reader *reader)
{
	while (reader->at < reader->end && !(*reader->at & 0x80))
		reader->at++;
}

static uint32_t find_location(const struct line_table *table, uint32_t offset)
{
	struct reader reader = { table->bytes, table->bytes + table->length };
	int64_t line = table->first_line;
	uint64_t end = 0;

	while (reader.at < reader.end) {
		uint32_t head = read_byte(&reader);
		unsigned int code = head >> 3 & 15;

		if (!(head & 0x80))
			return 0;
		line += read_location(&reader, code);
		skip_entry(&reader);
		end += ((head & 7) + 1) * 2u;
		if (offset < end)
			return code == LOCATION_NONE ? 0 : line_of(line);
		if (line > INT32_MAX || line < -(int64_t)INT32_MAX)
			return 0;
	}
	return 0;
}

uint32_t line_table_find(const struct line_table *table, uint32_t offset)
{
	switch (table->form) {
	case PYTHON_LNOTAB:
		return find_lnotab(table, offset);
	case PYTHON_RANGES:
		return find_range(table, offset);
	case PYTHON_LOCATIONS:
		return find_location(table, offset);
	}
	return 0;
}
