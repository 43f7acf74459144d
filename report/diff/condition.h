/* SPDX-License-Identifier: MIT */
/*
 * The conditions of --fail-if: REPORT.TOTAL or REPORT[ROW].COLUMN, > or <, and a limit: of the change (+5%, +10MiB, -5%)
 * or of the value after (10MiB).
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
	const char *row; /* a pattern; NULL: the total, or else all rows */
	size_t row_length;
	char column[CONDITION_NAME_BYTES];
	bool is_less, is_percent, is_of_change;
	const char *limit;
	size_t limit_length; /* without % */
};

/* 0, or -1 with one line in `message`. */
int condition_parse(struct condition *condition, const char *text, char *message,
		    size_t message_bytes);
/*
 * Says on stderr what is met, and what is beyond the limit but noise. STATUS_OK, STATUS_CHECK when the condition is met,
 * STATUS_INPUT when there is nothing that it could be about.
 */
int condition_judge(const struct condition *condition, const struct sides *sides);

#endif
