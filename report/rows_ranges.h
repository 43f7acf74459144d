/* SPDX-License-Identifier: MIT */
/* The rows of ranges as a table of report nvtx: names looked up, rows of the same text joined. */
#ifndef REPORT_ROWS_RANGES_H
#define REPORT_ROWS_RANGES_H

#include "report/model.h"
#include "report/table.h"

/* `table` has columns of report nvtx; rows without a counted range are left out. */
void ranges_fill_table(struct model *model, struct table *table);

/* Adds rows of the same text together into the first of them; [i] is that one. To be freed. */
uint32_t *ranges_join(struct model *model);

/* A name of the model as text. */
const char *range_text(const struct source_name *name, size_t *ret_length);

struct place_columns {
	enum column_id range, domain;
};
/* The range in which something was asked for, or that there was none; into the row added last. */
void range_put_place(struct table *table, const struct model *model,
		     const struct device_place *place, struct place_columns column);

#endif
