/* SPDX-License-Identifier: MIT */
/*
 * Columns about callers, in a table whose rows are return addresses. Function, line and module are
 * looked up for the rows that are shown (struct table_late). For people, the caller itself is
 * replaced by its function if that is known.
 */
#ifndef REPORT_SYMBOLS_LATE_CALLERS_H
#define REPORT_SYMBOLS_LATE_CALLERS_H

#include "report/symbols/symbols.h"
#include "report/table/table.h"

enum late_caller_column {
	LATE_FUNCTION,
	LATE_LINE, /* FILE:LINE */
	LATE_MODULE,
	LATE_CALLER, /* last, because only for people */
	LATE_CALLER_COLUMNS
};

struct deferred_call {
	const struct source_process *process; /* NULL: the row is no call */
	uint64_t address, time_ns;
};

struct late_callers {
	struct symbols symbols;
	enum column_id column[LATE_CALLER_COLUMNS];
	bool for_people; /* the caller is replaced by its function if that is known */
	bool is_brief;   /* then its function and line are not repeated in columns of their own */
	struct deferred_call *call; /* by row */
	size_t room;
	struct map said; /* from the hash of a caller's text to the first row + 1 with it */
};

/* `column`: by enum late_caller_column. For programs, unless for_people and is_brief are set. */
void late_callers_init(struct late_callers *callers, const struct source *source,
		       enum symbol_form form, const enum column_id column[LATE_CALLER_COLUMNS]);
void late_callers_release(struct late_callers *callers);

/* Adds the call of a row of the table. */
void late_callers_add(struct late_callers *callers, size_t row, const struct deferred_call *call);
/* The table uses these callers from now on; they must live as long as it does. */
void late_callers_attach(struct late_callers *callers, struct table *table);

#endif
