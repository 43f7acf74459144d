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

static const enum column_id category_columns[CATEGORIES] = {
#define CATEGORY(id, name, less) COLUMN_tensors_##id##_bytes,
#include "report/tensors/categories.def"
};

/* Categories that a device never has have no cells. */
static void rows_categories_put_moment(struct table *table, const struct category_device *device,
				       uint64_t time_ns, const uint64_t bytes[CATEGORIES])
{
	uint64_t all = 0;

	table_add_row(table);
	table_set_number(table, COLUMN_tensors_moment_ns, time_ns);
	for (unsigned int k = 0; k < CATEGORIES; k++) {
		if (device->of[k].allocations)
			table_set_number(table, category_columns[k], bytes[k]);
		all += bytes[k];
	}
	table_set_number(table, COLUMN_tensors_all_bytes, all);
}

static bool moment_is_empty(const uint64_t bytes[CATEGORIES])
{
	for (unsigned int k = 0; k < CATEGORIES; k++)
		if (bytes[k])
			return false;
	return true;
}

/* Rows begin with the first tensor: imports take long. */
void categories_fill_moments(const struct categories *categories, uint64_t end_ns, size_t most,
			     struct table *table)
{
	uint64_t bytes[CATEGORY_MOMENTS][CATEGORIES];
	char text[TENSOR_DEVICE_BYTES];

	for (size_t i = 0; i < categories->device_count; i++) {
		const struct category_device *device = &categories->device[i];
		size_t count = category_times_make(&device->times, end_ns, bytes);
		size_t first = 0, each;
		const char *name;

		tensor_device_text(device->device, text);
		name = text_store_put(&table->texts, text, strlen(text));
		while (first + 1 < count && moment_is_empty(bytes[first]))
			first++;
		each = count - first > most ? (count - first + most - 1) / most : 1;
		for (size_t k = first + each - 1; k < count; k += each) {
			rows_categories_put_moment(table, device, (k + 1) * device->times.width_ns,
						   bytes[k]);
			table_set_text(table, COLUMN_tensors_device, name, strlen(name));
		}
	}
}

void categories_fill_table(const struct categories *categories, struct table *table)
{
	for (size_t i = 0; i < categories->device_count; i++)
		for (unsigned int k = 0; k < CATEGORIES; k++)
			if (categories->device[i].of[k].allocations)
				rows_categories_put(table, &categories->device[i],
						    (enum tensor_category)k);
}
