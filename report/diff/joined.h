/* SPDX-License-Identifier: MIT */
/*
 * The rows of one report of all sides, joined by what they are of, and their numbers with their spread. Borrows the sides;
 * owns the names.
 */
#ifndef REPORT_DIFF_JOINED_H
#define REPORT_DIFF_JOINED_H

#include "report/base/interned.h"
#include "report/diff/noise.h"
#include "report/diff/sides.h"

struct joined_row {
	const char *name;
	size_t *row;   /* by side; SIZE_MAX: it has none */
	uint32_t seen; /* rows of the side at hand that have the key */
	size_t side;   /* that one */
};

struct joined {
	const struct sides *sides;
	size_t place; /* of the report in each batch */
	struct joined_row *row;
	size_t count, room;
	struct interned keys; /* numbers are those of rows */
	struct map seen;      /* keys, as they are before what says more is added */
	struct text_store texts;
};

void joined_make(struct joined *joined, const struct sides *sides, size_t place);
void joined_release(struct joined *joined);

/* The key of --by that a report is compared by, unless another is asked for; KEY_ID_LIMIT: it has none. */
enum key_id joined_key(enum report_id id);
/* Whether a column is a number that runs can be compared by; `table` is of any side. */
bool joined_compares(const struct batch_report *one, size_t column);

/* Of a row and a column of the table. */
struct change joined_change(const struct joined *joined, const struct joined_row *row,
			    size_t column);
/* Of the totals of that name; their unit. */
struct change joined_change_total(const struct sides *sides, size_t place, const char *fact,
				  enum unit *ret_unit);
/* Only some of the sides have rows of it: what was not recorded has not changed. */
bool joined_is_one_sided(const struct sides *sides, size_t place);

#endif
