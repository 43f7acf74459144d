/* SPDX-License-Identifier: MIT */
/*
 * Columns about who called, in a table whose rows are return addresses: the function, the line and the module are looked up
 * for the rows that are shown (struct table_late). For people the caller itself becomes its function, where that is known.
 */
#ifndef REPORT_SYMBOLS_LATE_CALLERS_H
#define REPORT_SYMBOLS_LATE_CALLERS_H

#include "report/symbols/symbols.h"
#include "report/table/table.h"

enum late_caller_column {
	LATE_FUNCTION,
	LATE_LINE, /* FILE:LINE */
	LATE_MODULE,
	LATE_CALLER, /* last: only for people */
	LATE_CALLER_COLUMNS
};

struct deferred_call {
	const struct source_process *process; /* NULL: the row is no call */
	uint64_t address, time_ns;
};

struct late_callers {
	struct symbols symbols;
	enum column_id column[LATE_CALLER_COLUMNS];
	bool for_people; /* the caller becomes its function, where that is known */
	bool is_brief;   /* then its function and line are not said again in columns of their own */
	struct deferred_call *call; /* by row */
	size_t room;
	struct map said; /* hash of what a caller became: to the row + 1 that was the first */
};

/* `column`: by enum late_caller_column. For programs, until for_people and is_brief are set. */
void late_callers_init(struct late_callers *callers, const struct source *source,
		       enum symbol_form form, const enum column_id column[LATE_CALLER_COLUMNS]);
void late_callers_release(struct late_callers *callers);

/* Of a row of the table. */
void late_callers_add(struct late_callers *callers, size_t row, const struct deferred_call *call);
/* The table asks for them from now on; they have to live as long as it does. */
void late_callers_attach(struct late_callers *callers, struct table *table);

#endif
