/* SPDX-License-Identifier: MIT */
/* The columns of all reports (families.def) as data. Read-only; any thread. */
#ifndef REPORT_TABLE_COLUMNS_H
#define REPORT_TABLE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/base/units.h"

#define COLUMN_PRIORITY_HIDDEN 9
#define COLUMNS_MAX 64 /* per report; tests/unit/report/table/test_columns.c counts them */

enum column_order {
	COLUMN_ORDER_ASC,
	COLUMN_ORDER_DESC,
};

struct column {
	const char *report, *name, *header;
	enum unit unit;
	unsigned int priority;
	enum column_order order;
	const char *doc;
};

/* COLUMN_alloc_caller and so on: indices in column_list. */
enum column_id {
#define COLUMN(report, name, header, unit, priority, order, doc) COLUMN_##report##_##name,
#include "report/families.def"
	COLUMN_ID_LIMIT,
};
extern const struct column column_list[COLUMN_ID_LIMIT];

/* Returns the columns of a report in order, and their number, at most COLUMNS_MAX. */
size_t columns_of(const char *report, const struct column *ret_columns[COLUMNS_MAX]);
/*
 * Index of the column called `name` (of `length` bytes), or -1. It may be the name, or the heading
 * as people type it: at_peak, atpeak and "At peak" are equal.
 */
int columns_find(const struct column *const *columns, size_t count, const char *name,
		 size_t length);
/* Returns the name nearest to a wrong one, or NULL. */
const char *columns_suggest(const struct column *const *columns, size_t count, const char *name);
bool column_is_text(const struct column *column);

#endif
