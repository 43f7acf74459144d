/* SPDX-License-Identifier: MIT */
/*
 * A comparison that is being made: what is compared of the runs (sides.h), and the changes that
 * were found. Report `diff` makes one (report_diff.c). compare.c, which shows all at once, makes
 * several from one reading. To be used by one thread.
 *
 * Order of calls: diff_prepare(); diff_read(); diff_write() for each document; diff_release().
 *
 * Each function returns a status, with the message of `request`, unless it says otherwise.
 */
#ifndef REPORT_DIFF_DIFF_H
#define REPORT_DIFF_DIFF_H

#include "report/diff/changes.h"
#include "report/diff/condition.h"
#include "report/diff/diff_flame.h"

/* A line of the overview: diff.def. */
struct diff_shown {
	enum report_id report;
	const char *key, *column;
	size_t rows; /* 0: a total */
	size_t place;
};

enum {
#define DIFF_FACT(report, key, fact) DIFF_OF_FACT_##report##_##fact,
#define DIFF_ROWS(report, key, column, rows) DIFF_OF_ROWS_##report##_##column,
#include "report/diff/diff.def"
	DIFF_OVERVIEW, /* number of lines of diff.def */
};

/* Which stacks the page shows; the number of lines of diff.def. */
enum {
#define DIFF_FLAME(of, value) DIFF_FLAME_OF_##of##_##value,
#include "report/diff/diff.def"
	DIFF_FLAMES,
};

struct diff {
	struct report_request *request;
	struct sides sides;
	char **file; /* of the command line, without the report's name */
	size_t file_count;
	size_t against;
	enum report_id report;
	bool has_report;
	enum key_id by;
	size_t place; /* index of that report */
	size_t steps; /* index of report steps, for --per step */
	bool per_step;
	bool has_flames;           /* stacks are compared, too */
	size_t flame[DIFF_FLAMES]; /* their indices */
	struct diff_shown shown[DIFF_OVERVIEW];
	struct condition *condition;
	struct joined *joined; /* kept because their texts are used */
	size_t joined_count, joined_room;
	struct changes changes;
	bool is_one_sided[REPORT_LIMIT];
	struct table table;
};

/* Checks the command line's words and conditions (report_diff.c). */
int diff_prepare(struct diff *diff);
/* Opens the runs and reads all that is compared of them, once. */
int diff_read(struct diff *diff);

/* For a caller that shows a document without head and foot. */
struct diff_reader {
	FILE *head, *foot;
	size_t rows, shown;
};

/*
 * Compares what diff->has_report selects, one report or all of the overview, and writes it.
 * `reader`: NULL: none.
 */
int diff_write(struct diff *diff, struct diff_reader *reader);
/*
 * Returns whether all runs have stacks in the report flame of that index. If not, `says_why` sets
 * the message.
 */
bool diff_has_stacks(struct diff *diff, size_t place, bool says_why);
/* Begins the table of another report, as if nothing had been compared yet. */
int diff_begin_again(struct diff *diff);
/* Sets the message, with one word in it. Returns STATUS_USAGE. */
int diff_fail(struct diff *diff, const char *format, const char *word);
void diff_release(struct diff *diff);

/*
 * --- diff_words.c: the lines around the table for people; the document's context is the diff ---
 */

/* Returns a run's command that is not that of the first run; NULL: there is none. */
const char *diff_other_command(const struct sides *sides);
void diff_head(const struct document *document, const struct screen *screen);
void diff_foot(const struct document *document, const struct screen *screen);

#endif
