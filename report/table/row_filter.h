/* SPDX-License-Identifier: MIT */
/*
 * The conditions of --filter: COLUMN OPERATOR VALUE on the rows of a table. Texts: = and != (with *
 * and ? as in a shell) and ~ (contains). Numbers: = != < > <= >= with units as people write them.
 * The texts are borrowed from the command line.
 */
#ifndef REPORT_TABLE_ROW_FILTER_H
#define REPORT_TABLE_ROW_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "report/table/table.h"

enum row_filter_sign {
	ROW_FILTER_EQUAL,
	ROW_FILTER_DIFFERENT,
	ROW_FILTER_LESS,
	ROW_FILTER_MORE,
	ROW_FILTER_AT_MOST,
	ROW_FILTER_AT_LEAST,
	ROW_FILTER_CONTAINS,
};

struct row_filter {
	size_t column; /* index in the table */
	enum row_filter_sign sign;
	bool is_text;
	bool is_symbol; /* a C++ name: its short form in tables is accepted */
	double number;
	const char *text;
	size_t length;
};

/* Returns 0, or -1 with one line in `message`: what is wrong and what is allowed. */
int row_filter_parse(struct row_filter *condition, const char *expression,
		     const struct column *const *columns, size_t count, char *message,
		     size_t message_bytes);

/* True if all conditions hold for the cells of a row. A cell without value meets only !=. */
bool conditions_hold(const struct row_filter *condition, size_t count, const struct cell *row);

#endif
