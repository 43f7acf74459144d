/* SPDX-License-Identifier: MIT */
/* Memory that CUDA gave out as a table of report device-memory. */
#ifndef REPORT_CUDA_ROWS_DEVICE_H
#define REPORT_CUDA_ROWS_DEVICE_H

#include "report/core/model.h"
#include "report/table/table.h"

struct device_totals {
	uint64_t allocations, frees, bytes_allocated, live_bytes;
};

/* `table` has the columns of the key that the model was read with. */
struct device_totals device_fill_table(struct model *model, struct table *table);

#endif
