/* SPDX-License-Identifier: MIT */
/*
 * The conditions of --fail-if: REPORT.TOTAL or REPORT[ROW].COLUMN, > or <, and a limit. The limit
 * applies to the change (+5%, +10MiB, -5%) or to the value after (10MiB).
 */
#ifndef REPORT_DIFF_CONDITION_H
#define REPORT_DIFF_CONDITION_H

#include "report/diff/joined.h"

#define CONDITION_NAME_BYTES 64

struct condition {
	const char *text;
	enum report_id report;
	enum key_id by;
	size_t place;    /* in the batches */
	const char *row; /* a pattern; NULL: the total, otherwise all rows */
	size_t row_length;
	char column[CONDITION_NAME_BYTES];
	bool is_less, is_percent, is_of_change;
	const char *limit;
	size_t limit_length; /* without % */
};

/* Returns 0, or -1 with one line in `message`. */
int condition_parse(struct condition *condition, const char *text, char *message,
		    size_t message_bytes);
/*
 * Reports on stderr which conditions are met, and which values exceed the limit only by noise.
 * Returns STATUS_OK; STATUS_CHECK if the condition is met; STATUS_INPUT if there is nothing to
 * which it applies.
 */
int condition_judge(const struct condition *condition, const struct sides *sides);

#endif
