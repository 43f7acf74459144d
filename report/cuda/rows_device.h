/* SPDX-License-Identifier: MIT */
/* Makes the table of report device-memory: row by row, what calls, CUPTI and PyTorch report. */
#ifndef REPORT_CUDA_ROWS_DEVICE_H
#define REPORT_CUDA_ROWS_DEVICE_H

#include "report/cuda/cuda_events.h"
#include "report/cuda/cupti_memory.h"
#include "report/cuda/torch_reserved.h"
#include "report/table/table.h"

struct device_totals {
	uint64_t allocations, frees, bytes_allocated;
};

/* From one reading, with the same --by. */
struct device_view {
	const struct cuda *cuda;
	const struct cupti_memory *cupti;      /* NULL: its columns are empty */
	const struct torch_reserved *reserved; /* NULL: the same */
};

/* Returns the sums of the rows of calls or of CUPTI. */
struct device_totals device_totals_of(const struct device_memory *memory);
/* `table` has the columns of the key with which the events were read. */
void device_fill_table(const struct device_view *view, struct table *table);

#endif
