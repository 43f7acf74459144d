/* SPDX-License-Identifier: MIT */
/*
 * Rows of typed cells, and which of them are shown in which order. Knows nothing of how they look
 * (export_table.c) or what they mean.
 *
 * Texts of cells belong to whoever put them there (the source, or table->texts) and outlive the table.
 */
#ifndef REPORT_TABLE_TABLE_H
#define REPORT_TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/table/columns.h"
#include "report/base/memory.h"

enum cell_kind {
	CELL_NONE, /* no value: null, empty */
	CELL_NUMBER,
	CELL_SIGNED, /* a number that may be negative, in `number` modulo 2^64 */
	CELL_REAL,
	CELL_TEXT,
};

struct cell {
	union {
		uint64_t number;
		double real;
		const char *text;
	};
	uint32_t
		length; /* of text; of a number 1 + its unit where that is not the column's, else 0 */
	uint32_t kind;
};

struct row_filter; /* of --filter, see condition.h */

#define TABLE_NO_PARENT UINT32_MAX

struct table;

/*
 * Cells that are dear to make, such as stacks: table_arrange() has them made for the rows that are shown, or
 * for all rows when their order or a condition is about such a column. A row's are made once. But texts of a million rows
 * are gigabytes: beyond LATE_ROWS_MAX they are made by table_make_row() as rows are written, and `is_by_row` says so.
 */
#define LATE_ROWS_MAX 1000u
struct table_late {
	void (*make)(void *state, struct table *table, size_t row); /* NULL: there are none */
	void *state;
	const enum column_id *column;
	size_t column_count;
	bool is_by_row; /* what was made of the row before is no longer needed */
	size_t row;     /* that was made last, then */
};

/* A frame of a row's stack. Texts live as long as the table; they are NULL where nothing is known, but `name`. */
struct table_frame {
	const char *name; /* the function, or what is known instead */
	const char *function, *file, *module;
	uint64_t offset; /* in the module */
	uint32_t line;   /* 0: unknown */
	bool is_many;    /* several calls of that line: `offset` is that of one of them */
};

/*
 * Rows that are made when they are needed, for tables that may have many millions: a part at a time where they are written in
 * the order they come in, else all of them by table_arrange(). What they add to table->texts goes with them.
 */
struct table_pending {
	bool (*next)(void *state, struct table *table); /* adds a row; false: there is none left */
	/* Whether the next row is alike in `order` to the last one. NULL: none is. */
	bool (*ties)(void *state);
	void *state;
	enum column_id order; /* they come by it, ascending */
};

struct facts;

/* Rows that have a stack: what exports make a list of, and people see below a row. */
struct table_stacks {
	/* Frames, innermost first, at most `room`; returns how many there are. NULL: rows have none. */
	size_t (*frames)(void *state, size_t row, struct table_frame *frame, size_t room);
	void *state;
	enum column_id column;    /* whose text is the stack in one line */
	enum column_id innermost; /* that has its innermost function; COLUMN_ID_LIMIT: none */
	size_t below;             /* so many frames are shown below each row */
	const char *(*note)(void *state); /* a sentence below the table; NULL: none */
	void (*total)(void *state, struct facts *facts); /* what it says, as totals; NULL: none */
};

struct table {
	const struct column *column[COLUMNS_MAX];
	size_t column_count;
	uint8_t place[COLUMN_ID_LIMIT]; /* where a column was put by table_init(): a guess */
	struct cell *cell;              /* rows of column_count cells */
	size_t row_count, row_room;
	uint32_t *parent; /* of each row, smaller than its own number; only when is_tree */
	size_t parent_room;
	bool is_tree;
	struct text_store texts;
	size_t pinned; /* rows at the begin that are shown first, whatever is filtered and limited */
	size_t *order; /* rows to show, in order, and then others; made by table_arrange() */
	size_t shown;  /* of order */
	size_t passed; /* rows that met the conditions: shown plus those past the limit */
	const struct arrangement
		*plan; /* what table_arrange() will be called with; NULL: not known */
	size_t *best;  /* rows that are shown as far as is known, the last of them first */
	size_t best_count;
	size_t dropped; /* by table_settle_row() */
	struct {
		bool is_filled, is_telling;
	} of_dropped
		[COLUMNS_MAX]; /* what their cells had in each column; see table_column_tells() */
	struct table_pending pending; /* next is NULL: all rows are there */
	struct table_late late;
	bool *made; /* by row; NULL: none */
	struct table_stacks stacks;
};

/* A table with the columns of a report, without those in `left_out` (names, NULL at the end). */
void table_init(struct table *table, const char *report, const char *const *left_out);
void table_release(struct table *table);

/* A new row of empty cells; returns its number. */
size_t table_add_row(struct table *table);
/* Sets the cell of the row added last. A column that the table leaves out is no error. */
void table_set_number(struct table *table, enum column_id column, uint64_t value);
/* In a unit that is not the column's, for people. */
void table_set_amount(struct table *table, enum column_id column, uint64_t value, enum unit unit);
void table_set_signed(struct table *table, enum column_id column, int64_t value);
/* Signed, in a unit that is not the column's. */
void table_set_signed_amount(struct table *table, enum column_id column, int64_t value,
			     enum unit unit);
void table_set_real(struct table *table, enum column_id column, double value);
void table_set_text(struct table *table, enum column_id column, const char *text, size_t length);

/* Text of a cell of any row. */
void table_fill_text(struct table *table, size_t row, enum column_id column, const char *text,
		     size_t length);

/*
 * The row added last has all of its cells. Where so many rows before it come first that it cannot be shown it is taken out
 * again, and the next row has its number; it counts all the same. For tables that may have a million rows.
 */
void table_settle_row(struct table *table);

/* Whether any row has a value there, shown or not. */
bool table_column_is_filled(const struct table *table, size_t column);
/* Whether any row has a number that is not 0 there, or a text that is not the first row's; shown or not. */
bool table_column_tells(const struct table *table, size_t column);

static inline const struct cell *table_cell(const struct table *table, size_t row, size_t column)
{
	return &table->cell[row * table->column_count + column];
}

struct arrangement {
	int sort; /* column or -1: as added */
	bool descending;
	size_t limit; /* 0: all */
	const struct row_filter *condition;
	size_t row_filter_count;
	size_t then; /* column + 1 that decides where rows are alike, the largest first; 0: none */
	bool writes_by_row; /* table_make_row() is called before a row's cells are looked at */
};
/* Is the column's text of each row only there after table_make_row()? */
bool table_is_by_row(const struct table *table, size_t column);
/* Of these columns the row's cells, until the next row's are asked for. Nothing where there are no such columns. */
void table_make_row(const struct table *table, size_t row);
/*
 * Fills order, shown and passed. In a tree rows stay below their parents, which are kept for them. Rows that are pending are
 * made first, all of them.
 */
void table_arrange(struct table *table, const struct arrangement *arrangement);

/* Whether rows are pending that can be written as they come, in the order that is asked for. */
bool table_can_stream(const struct table *table, const struct arrangement *arrangement);
/* In place of the rows that are there the next few thousand, arranged. False: there are none. */
bool table_next_part(struct table *table, const struct arrangement *arrangement);

#endif
