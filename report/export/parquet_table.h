/* SPDX-License-Identifier: MIT */
/*
 * A table as a Parquet file. Rows are collected by columns and written as a row group when there
 * are PARQUET_GROUP_ROWS of them, or when the caller wants its memory back. Knows nothing of what
 * rows mean.
 *
 * The subset of the format: version 2 of parquet.thrift (github.com/apache/parquet-format). Columns
 * are INT64 and UTF-8, flat, required or optional. Data pages have version 1, one per column chunk,
 * compressed with zstd. Numbers are PLAIN or DELTA_BINARY_PACKED, whichever is smaller, and texts
 * have a dictionary (RLE_DICTIONARY, bit-packed). Each chunk has minimum, maximum and the number of
 * nulls, so that engines can skip what cannot match.
 * No library is used: Debian has none in C, and Arrow's C++ is 60 MB, of which this needs one
 * writer.
 *
 * The file is open only while a row group is written, so that thousands of tables need no
 * descriptors. Besides the rows, memory grows with row groups, 60 bytes per column of each. One
 * thread.
 */
#ifndef REPORT_EXPORT_PARQUET_TABLE_H
#define REPORT_EXPORT_PARQUET_TABLE_H

#include <stdbool.h>

#include "report/base/interned.h"
#include "report/core/report.h"
#include "report/export/page_codec.h"
#include "report/export/protobuf.h"

#define PARQUET_GROUP_ROWS (1u << 17)
#define PARQUET_COLUMNS_MAX 32u

struct parquet_column {
	const char *name; /* the first `name_length` bytes */
	size_t name_length;
	bool is_text, is_optional;
	unsigned int value; /* the caller's own */
};

/* The contents of a page, and what is left of them once compressed. */
struct parquet_page {
	struct message bytes;
	struct page_codec codec;
};

/* What all tables of an export need to write a row group. */
struct parquet_writer {
	struct report_request *request; /* gets the message of the first failure */
	bool failed;
	uint64_t bytes;                   /* written */
	struct interned texts;            /* valid UTF-8; shared by tables */
	struct parquet_page page, packed; /* of numbers `packed` is the second try */
	struct message header;
	/* for the current column: from the number of a text + 1 to its index */
	struct map dictionary;
	uint32_t *in_dictionary;
	size_t in_dictionary_room;
};

struct parquet_cell {
	bool is_null;
	int64_t value; /* for a text its number */
};

struct parquet_table {
	const struct parquet_column *column;
	uint32_t columns;
	char *path;      /* owned; NULL: no row yet */
	uint64_t length; /* of the file so far; 0: not begun */
	uint32_t rows;   /* collected */
	uint32_t room;
	int64_t *value[PARQUET_COLUMNS_MAX];
	uint8_t *is_null[PARQUET_COLUMNS_MAX];
	uint64_t total_rows, group_count;
	struct message groups; /* their metadata, encoded */
};

/* Facts in the file besides its rows. */
struct parquet_note {
	const char *key, *value;
};

/* `cell` has one element per column. Returns whether the table is full. */
bool parquet_table_put(struct parquet_table *table, const struct parquet_cell *cell);
/* About how many bytes its rows take. */
uint64_t parquet_table_bytes(const struct parquet_table *table);
/* Writes the collected rows as a row group; `frees`: also frees their memory. */
void parquet_table_flush(struct parquet_table *table, struct parquet_writer *writer, bool frees);
/* Writes the rest and the footer; frees the table's memory. A table without rows leaves no file. */
void parquet_table_close(struct parquet_table *table, struct parquet_writer *writer,
			 const struct parquet_note *note, size_t notes);
void parquet_writer_release(struct parquet_writer *writer);

#endif
