/* SPDX-License-Identifier: MIT */
/*
 * CPython's line tables: find the source line of an instruction. The bytes belong to a program and
 * may be anything. Equivalent to co_lines() of 3.10 and later, and to dis.findlinestarts() of 3.8
 * and 3.9. The forms are described in CPython's Objects/lnotab_notes.txt and Objects/locations.md.
 */
#ifndef COLLECTOR_REGION_LINE_TABLE_H
#define COLLECTOR_REGION_LINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/region/python_layout.h"

struct line_table {
	enum python_table form;
	const uint8_t *bytes;
	size_t length;
	uint32_t first_line; /* co_firstlineno */
};

#define LINE_TABLE_NO_LINE (-128) /* for a range without a line */

static inline uint32_t line_table_line_of(int64_t line)
{
	return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

/*
 * 3.8, 3.9: pairs (bytes, lines) to advance. An instruction belongs to the last line that begins at
 * or before it.
 */
static inline uint32_t line_table_find_lnotab(const struct line_table *table, uint32_t offset)
{
	int64_t line = table->first_line;
	uint64_t at = 0;

	for (size_t i = 0; i + 1 < table->length; i += 2) {
		at += table->bytes[i];
		if (at > offset)
			break;
		line += (int8_t)table->bytes[i + 1];
	}
	return line_table_line_of(line);
}

/* 3.10: pairs (bytes, lines) of ranges; the lines are added before the range. */
static inline uint32_t line_table_find_range(const struct line_table *table, uint32_t offset)
{
	int64_t line = table->first_line;
	uint64_t end = 0;

	for (size_t i = 0; i + 1 < table->length; i += 2) {
		int8_t delta = (int8_t)table->bytes[i + 1];

		end += table->bytes[i];
		if (delta != LINE_TABLE_NO_LINE)
			line += delta;
		if (offset < end)
			return delta == LINE_TABLE_NO_LINE ? 0 : line_table_line_of(line);
	}
	return 0;
}

struct line_table_reader {
	const uint8_t *at, *end;
};

static inline uint32_t line_table_read_byte(struct line_table_reader *reader)
{
	return reader->at < reader->end ? *reader->at++ : 0;
}

/* Six bits per byte, the lowest first; the seventh says that another byte follows. */
static inline uint64_t line_table_read_varint(struct line_table_reader *reader)
{
	uint32_t byte = line_table_read_byte(reader);
	uint64_t value = byte & 63;

	for (unsigned int shift = 6; byte & 64 && shift < 60; shift += 6) {
		byte = line_table_read_byte(reader);
		value |= (uint64_t)(byte & 63) << shift;
	}
	return value;
}

static inline int64_t line_table_read_signed(struct line_table_reader *reader)
{
	uint64_t value = line_table_read_varint(reader);

	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

enum line_table_location {
	/* 10 to 12: number of lines plus 10; lower values: no change of line */
	LINE_TABLE_ONE_LINE = 10,
	LINE_TABLE_NO_COLUMNS = 13,
	LINE_TABLE_LONG = 14,
	LINE_TABLE_NONE = 15,
};

/* Returns by how many lines an entry advances; skips the rest of the entry. */
static inline int64_t line_table_read_location(struct line_table_reader *reader, unsigned int code)
{
	int64_t delta = 0;

	if (code >= LINE_TABLE_NO_COLUMNS && code < LINE_TABLE_NONE)
		delta = line_table_read_signed(reader);
	else if (code >= LINE_TABLE_ONE_LINE && code < LINE_TABLE_NO_COLUMNS)
		delta = code - LINE_TABLE_ONE_LINE;
	return delta;
}

/* The first byte of an entry has the highest bit, and no other byte has it. */
static inline void line_table_skip_entry(struct line_table_reader *reader)
{
	while (reader->at < reader->end && !(*reader->at & 0x80))
		reader->at++;
}

static inline uint32_t line_table_find_location(const struct line_table *table, uint32_t offset)
{
	struct line_table_reader reader = { table->bytes, table->bytes + table->length };
	int64_t line = table->first_line;
	uint64_t end = 0;

	while (reader.at < reader.end) {
		uint32_t head = line_table_read_byte(&reader);
		unsigned int code = head >> 3 & 15;

		if (!(head & 0x80))
			return 0;
		line += line_table_read_location(&reader, code);
		line_table_skip_entry(&reader);
		end += ((head & 7) + 1) * 2u;
		if (offset < end)
			return code == LINE_TABLE_NONE ? 0 : line_table_line_of(line);
		if (line > INT32_MAX || line < -(int64_t)INT32_MAX)
			return 0;
	}
	return 0;
}

/*
 * Returns the line of the instruction at this offset in the code; 0: it has none, or the table ends
 * before it.
 */
static inline uint32_t line_table_find(const struct line_table *table, uint32_t offset)
{
	switch (table->form) {
	case PYTHON_LNOTAB:
		return line_table_find_lnotab(table, offset);
	case PYTHON_RANGES:
		return line_table_find_range(table, offset);
	case PYTHON_LOCATIONS:
		return line_table_find_location(table, offset);
	}
	return 0;
}

#endif
