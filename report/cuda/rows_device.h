/* SPDX-License-Identifier: MIT */
/* Memory that CUDA gave out as a table of report device-memory. */
#ifndef REPORT_CUDA_ROWS_DEVICE_H
#define REPORT_CUDA_ROWS_DEVICE_H

#include "report/cuda/cuda_events.h"
#include "report/table/table.h"

struct device_totals {
	uint64_t allocations, frees, bytes_allocated, live_bytes;
};

/* `table` has the columns of the key that they were read with. */
struct device_totals device_fill_table(const struct cuda *cuda, struct table *table);

#endif
