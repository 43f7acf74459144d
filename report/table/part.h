/* SPDX-License-Identifier: MIT */
/* A part of a longer text: the top rows of a table, under a title. */
#ifndef REPORT_TABLE_PART_H
#define REPORT_TABLE_PART_H

#include "report/table/export.h"

/* The top rows of a table by one column, with some of its columns. */
struct part {
	const char *title;
	enum column_id sort;
	size_t rows;
	const enum column_id *column;
	size_t column_count;
};
void part_print(struct table *table, const struct part *part, const struct document *outer,
		const struct screen *screen);

#endif
