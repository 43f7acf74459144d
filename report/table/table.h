/* SPDX-License-Identifier: MIT */
/*
 * Rows of typed cells, and which of them are shown in which order. Knows nothing of their
 * appearance (export_table.c) or meaning.
 *
 * Texts of cells belong to the code that put them there (the source, or table->texts) and outlive
 * the table.
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
	/* length of a text; for a number 1 + its unit if that is not the column's, else 0 */
	uint32_t length;
	uint32_t kind;
};

struct row_filter; /* of --filter, see row_filter.h */

#define TABLE_NO_PARENT UINT32_MAX

struct table;

/*
 * Cells that are expensive to make, such as stacks. table_arrange() has them made for the rows that
 * are shown, or for all rows if their order or a condition depends on such a column. A row's cells
 * are made once. But texts of a million rows are gigabytes: beyond LATE_ROWS_MAX rows,
 * table_make_row() makes them as rows are written, and `is_by_row` says so.
 */
#define LATE_ROWS_MAX 1000u
struct table_late {
	/* NULL: there are no such cells */
	void (*make)(void *state, struct table *table, size_t row);
	void *state;
	const enum column_id *column;
	size_t column_count;
	bool is_by_row; /* the previous row's texts are no longer needed */
	size_t row;     /* the row that was made last, in that case */
};

/* A frame of a row's stack. Texts live as long as the table. All but `name` are NULL if unknown. */
struct table_frame {
	const char *name; /* the function, or what is known instead */
	const char *function, *file, *module;
	uint64_t offset; /* in the module */
	uint32_t line;   /* 0: unknown */
	bool is_many;    /* several calls from that line: `offset` is that of one of them */
};

/*
 * Rows that are made when they are needed, for tables that may have many millions: a part at a time
 * if they are written in the order in which they come, else all of them by table_arrange(). What
 * they add to table->texts is released with them.
 */
struct table_pending {
	bool (*next)(void *state, struct table *table); /* adds a row; false: there is none left */
	/* True if the next row has the same `order` value as the last one. NULL: never. */
	bool (*ties)(void *state);
	void *state;
	enum column_id order; /* they come sorted by this column, ascending */
};

struct facts;

/* Rows with a stack: exports make a list of it, and people see it below the row. */
struct table_stacks {
	/*
	 * Returns the frames, innermost first, at most `room`, and their number. NULL: rows have
	 * none.
	 */
	size_t (*frames)(void *state, size_t row, struct table_frame *frame, size_t room);
	void *state;
	enum column_id column; /* its text is the stack in one line */
	/* the column with its innermost function; COLUMN_ID_LIMIT: none */
	enum column_id innermost;
	size_t below;                     /* number of frames shown below each row */
	const char *(*note)(void *state); /* a sentence below the table; NULL: none */
	/* adds its contents as totals; NULL: none */
	void (*total)(void *state, struct facts *facts);
};

struct table {
	const struct column *column[COLUMNS_MAX];
	size_t column_count;
	uint8_t place[COLUMN_ID_LIMIT]; /* where table_init() put a column: a guess */
	struct cell *cell;              /* rows of column_count cells */
	size_t row_count, row_room;
	uint32_t *parent; /* of each row, smaller than its own number; only if is_tree */
	size_t parent_room;
	bool is_tree;
	struct text_store texts;
	/* number of first rows that are shown first, whatever the filter and the limit */
	size_t pinned;
	size_t *order; /* rows to show, in order, and then others; made by table_arrange() */
	size_t shown;  /* number of rows to show in `order` */
	size_t passed; /* rows that met the conditions: those shown and those beyond the limit */
	const struct arrangement
		*plan; /* the later arguments of table_arrange(); NULL: not known */
	size_t *best;  /* rows that are shown as far as is known, the last of them first */
	size_t best_count;
	size_t dropped; /* rows removed by table_settle_row() */
	struct {
		bool is_filled, is_telling;
	} of_dropped
		/* what their cells contained in each column; see table_column_tells() */
		[COLUMNS_MAX];
	struct table_pending pending; /* next is NULL: all rows are there */
	struct table_late late;
	bool *made; /* by row; NULL: none */
	struct table_stacks stacks;
};

/*
 * Makes a table with the columns of a report, except those in `left_out` (names, NULL at the end).
 */
void table_init(struct table *table, const char *report, const char *const *left_out);
void table_release(struct table *table);

/* Adds a row of empty cells; returns its number. */
size_t table_add_row(struct table *table);
/* Sets a cell of the row added last. It is no error if the table leaves the column out. */
void table_set_number(struct table *table, enum column_id column, uint64_t value);
/* In a unit other than the column's, for people. */
void table_set_amount(struct table *table, enum column_id column, uint64_t value, enum unit unit);
void table_set_signed(struct table *table, enum column_id column, int64_t value);
/* Signed, in a unit other than the column's. */
void table_set_signed_amount(struct table *table, enum column_id column, int64_t value,
			     enum unit unit);
void table_set_real(struct table *table, enum column_id column, double value);
void table_set_text(struct table *table, enum column_id column, const char *text, size_t length);

/* Sets the text of a cell of any row. */
void table_fill_text(struct table *table, size_t row, enum column_id column, const char *text,
		     size_t length);

/*
 * The row added last is complete. If so many earlier rows come first that it cannot be shown, it is
 * removed again, and the next row gets its number; it is still counted. For tables that may have a
 * million rows.
 */
void table_settle_row(struct table *table);

/* True if any row has a value there, shown or not. */
bool table_column_is_filled(const struct table *table, size_t column);
/*
 * True if any row has a number other than 0 there, or a text that differs from the first row's;
 * shown or not.
 */
bool table_column_tells(const struct table *table, size_t column);

static inline const struct cell *table_cell(const struct table *table, size_t row, size_t column)
{
	return &table->cell[row * table->column_count + column];
}

struct arrangement {
	int sort; /* column, or -1: in the order of adding */
	bool descending;
	size_t limit; /* 0: all */
	const struct row_filter *condition;
	size_t row_filter_count;
	size_t then;        /* column + 1 that decides between equal rows, largest first; 0: none */
	bool writes_by_row; /* table_make_row() is called before a row's cells are read */
};
/* True if the column's text of each row exists only after table_make_row(). */
bool table_is_by_row(const struct table *table, size_t column);
/*
 * Makes the row's cells in such columns; they are valid until the next row's are made. Does nothing
 * if there are no such columns.
 */
void table_make_row(const struct table *table, size_t row);
/*
 * Fills order, shown and passed. In a tree, rows stay below their parents, which are kept for their
 * sake. Pending rows are all made first.
 */
void table_arrange(struct table *table, const struct arrangement *arrangement);

/* True if there are pending rows that can be written as they come, in the requested order. */
bool table_can_stream(const struct table *table, const struct arrangement *arrangement);
/* Replaces the rows by the next few thousand, arranged. False: there are none. */
bool table_next_part(struct table *table, const struct arrangement *arrangement);

#endif
