/* SPDX-License-Identifier: MIT */
/* The rows of report tensors by category: one for each device and category that occurred. */
#include <string.h>

#include "report/tensors/rows_tensors.h"

static void rows_categories_put(struct table *table, const struct category_device *device,
				enum tensor_category category)
{
	const struct category_sums *sums = &device->of[category];
	const char *name = category_name(category);
	char text[TENSOR_DEVICE_BYTES];

	table_add_row(table);
	tensor_device_text(device->device, text);
	table_set_text(table, COLUMN_tensors_category, name, strlen(name));
	table_set_text(table, COLUMN_tensors_device,
		       text_store_put(&table->texts, text, strlen(text)), strlen(text));
	table_set_number(table, COLUMN_tensors_peak_bytes, sums->peak_bytes);
	if (device->peak_bytes)
		table_set_real(table, COLUMN_tensors_peak_percent,
			       100.0 * (double)sums->peak_bytes / (double)device->peak_bytes);
	table_set_number(table, COLUMN_tensors_allocations, sums->allocations);
	table_set_number(table, COLUMN_tensors_bytes_allocated, sums->bytes_allocated);
	table_set_number(table, COLUMN_tensors_live_allocations, sums->live_allocations);
	table_set_number(table, COLUMN_tensors_live_bytes, sums->live_bytes);
}

void categories_fill_table(const struct categories *categories, struct table *table)
{
	for (size_t i = 0; i < categories->device_count; i++)
		for (unsigned int k = 0; k < CATEGORIES; k++)
			if (categories->device[i].of[k].allocations)
				rows_categories_put(table, &categories->device[i],
						    (enum tensor_category)k);
}
