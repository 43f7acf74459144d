/* SPDX-License-Identifier: MIT */
/* Makes the table of report tensors, with the names of its keys. */
#ifndef REPORT_TENSORS_ROWS_TENSORS_H
#define REPORT_TENSORS_ROWS_TENSORS_H

#include "report/table/export.h"
#include "report/table/table.h"
#include "report/tensors/categories.h"
#include "report/tensors/tensors.h"

#define TENSOR_DEVICE_BYTES 40

/* "cpu" or "cuda:0"; without a number for all devices of a kind. Returns ret_text. */
const char *tensor_device_text(uint64_t device, char ret_text[TENSOR_DEVICE_BYTES]);

/* Returns the row's key as text, which belongs to `texts` or to the source. */
const char *tensors_row_text(const struct tensors *tensors, const struct tensor_row *row,
			     struct text_store *texts);

/* `table` has columns of report tensors. */
/* Rows by category instead. */
void categories_fill_table(const struct categories *categories, struct table *table);
/* Rows by moment, up to end_ns; about `most` of a device. */
void categories_fill_moments(const struct categories *categories, uint64_t end_ns, size_t most,
			     struct table *table);

void tensors_fill_table(struct tensors *tensors, struct table *table);

#endif
