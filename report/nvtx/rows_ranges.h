/* SPDX-License-Identifier: MIT */
/* The rows of ranges as a table of report nvtx: names looked up. */
#ifndef REPORT_NVTX_ROWS_RANGES_H
#define REPORT_NVTX_ROWS_RANGES_H

#include "report/core/model.h"
#include "report/table/table.h"

/* `table` has columns of report nvtx; rows without a counted range are left out. */
void ranges_fill_table(struct model *model, struct table *table);

struct place_columns {
	enum column_id range, domain;
};
/* The range in which something was asked for, or that there was none; into the row added last. */
void range_put_place(struct table *table, const struct model *model,
		     const struct device_place *place, struct place_columns column);

#endif
