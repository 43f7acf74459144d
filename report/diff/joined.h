/* SPDX-License-Identifier: MIT */
/*
 * The rows of one report of all sides, joined by what they describe, with their numbers and the
 * spread of these. Borrows the sides; owns the names.
 */
#ifndef REPORT_DIFF_JOINED_H
#define REPORT_DIFF_JOINED_H

#include "report/base/interned.h"
#include "report/diff/noise.h"
#include "report/diff/sides.h"

struct joined_row {
	const char *name;
	size_t *row;   /* by side; SIZE_MAX: the side does not have it */
	uint32_t seen; /* rows of the current side that have the key */
	size_t side;   /* the current side */
};

struct joined {
	const struct sides *sides;
	size_t place; /* index of the report in each batch */
	struct joined_row *row;
	size_t count, room;
	struct interned keys; /* the numbers of keys are those of rows */
	struct map seen;      /* keys before the distinguishing texts are added */
	struct text_store texts;
};

void joined_make(struct joined *joined, const struct sides *sides, size_t place);
void joined_release(struct joined *joined);

/* Returns the key of --by with which a report is compared by default; KEY_ID_LIMIT: it has none. */
enum key_id joined_key(enum report_id id);
/*
 * Returns whether a column is a number that runs can be compared by; `table` may be that of any
 * side.
 */
bool joined_compares(const struct batch_report *one, size_t column);

/* Returns the change of a row in a column of the table. */
struct change joined_change(const struct joined *joined, const struct joined_row *row,
			    size_t column);
/* Returns the change of the totals of that name, and their unit. */
struct change joined_change_total(const struct sides *sides, size_t place, const char *fact,
				  enum unit *ret_unit);
/* Returns whether only some sides have rows of it: what was not recorded has not changed. */
bool joined_is_one_sided(const struct sides *sides, size_t place);

#endif
