/* SPDX-License-Identifier: MIT */
/* Memory of tensors as a table of report tensors: keys named. */
#ifndef REPORT_TENSORS_ROWS_TENSORS_H
#define REPORT_TENSORS_ROWS_TENSORS_H

#include "report/table/export.h"
#include "report/table/table.h"
#include "report/tensors/tensors.h"

#define TENSOR_DEVICE_BYTES 40

/* cpu, cuda:0; without a number when it is of the whole kind. Returns ret_text. */
const char *tensor_device_text(uint64_t device, char ret_text[TENSOR_DEVICE_BYTES]);

/* The row's key as people see it; in memory of `texts`, or the source's. */
const char *tensors_row_text(const struct tensors *tensors, const struct tensor_row *row,
			     struct text_store *texts);

/* `table` has columns of report tensors. */
void tensors_fill_table(struct tensors *tensors, struct table *table);

#endif
