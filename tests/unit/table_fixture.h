/* SPDX-License-Identifier: MIT */
/*
 * Looks at a filled table: a cell by row and column, a row by what one of its cells holds. Fails
 * the test where there is none.
 */
#ifndef TESTS_UNIT_TABLE_FIXTURE_H
#define TESTS_UNIT_TABLE_FIXTURE_H

#include "tests/unit/unit.h"
#include "report/table/table.h"

static inline const struct cell *cell_at(const struct table *table, size_t row,
					 enum column_id column)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (table->column[i] == &column_list[column])
			return table_cell(table, row, i);
	fail_msg("no column %s", column_list[column].name);
	return NULL;
}

static inline bool cell_is(const struct cell *cell, const char *text)
{
	return cell->kind == CELL_TEXT && cell->length == strlen(text) &&
	       !memcmp(cell->text, text, cell->length);
}

/* The row that is number `nth`, from 0, of those with `text` in the column. */
static inline size_t row_at(const struct table *table, enum column_id column, const char *text,
			    size_t nth)
{
	for (size_t row = 0; row < table->row_count; row++)
		if (cell_is(cell_at(table, row, column), text) && !nth--)
			return row;
	fail_msg("no row '%s'", text);
	return 0;
}

#endif
