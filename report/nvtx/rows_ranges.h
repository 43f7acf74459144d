/* SPDX-License-Identifier: MIT */
/* Makes the table of report nvtx from the rows of ranges. */
#ifndef REPORT_NVTX_ROWS_RANGES_H
#define REPORT_NVTX_ROWS_RANGES_H

#include "report/ranges/ranges.h"
#include "report/table/table.h"

/* `table` has columns of report nvtx; rows without a counted range are left out. */
void ranges_fill_table(const struct ranges *ranges, const struct run *run, struct table *table);

/* Puts the name of a domain. */
void range_put_domain(struct table *table, enum column_id column, const struct source_name *domain);

#endif
