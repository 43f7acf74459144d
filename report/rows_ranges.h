/* SPDX-License-Identifier: MIT */
/* The rows of ranges as a table of report nvtx: names looked up, rows of the same text joined. */
#ifndef REPORT_ROWS_RANGES_H
#define REPORT_ROWS_RANGES_H

#include "report/model.h"
#include "report/table.h"

/* `table` has columns of report nvtx; rows without a counted range are left out. */
void ranges_fill_table(struct model *model, struct table *table);

#endif
