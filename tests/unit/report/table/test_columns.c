/* SPDX-License-Identifier: MIT */
/* links: report */
/* report/table/columns.c: no report has more columns than a table can hold; names and headings. */
#include "tests/unit/unit.h"
#include "report/table/columns.h"

TEST(no_column_is_left_out)
{
	for (size_t i = 0; i < COLUMN_ID_LIMIT; i++) {
		const struct column *columns[COLUMNS_MAX];
		size_t count = columns_of(column_list[i].report, columns), at = 0;

		while (at < count && columns[at] != &column_list[i])
			at++;
		if (at == count)
			fail_msg("column %s of report %s is left out", column_list[i].name,
				 column_list[i].report);
		assert_int_equal(columns_find(columns, count, column_list[i].name,
					      strlen(column_list[i].name)),
				 (int)at);
	}
}
