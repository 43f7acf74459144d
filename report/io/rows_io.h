/* SPDX-License-Identifier: MIT */
/* Input and output as a table of report io. */
#ifndef REPORT_IO_ROWS_IO_H
#define REPORT_IO_ROWS_IO_H

#include "report/io/io_events.h"
#include "report/table/export.h"
#include "report/table/table.h"

/* Joins rows of the reading that mean the same, once. */
void io_fill_table(struct io_reading *reading, struct table *table);

/* One line above the table. */
void io_print_totals(const struct io_row *total, const struct screen *screen);

#endif
