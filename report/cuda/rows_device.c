/* SPDX-License-Identifier: MIT */
/* Memory that CUDA gave out as a table: see rows_device.h. */
#include "report/cuda/rows_device.h"

#include <stdlib.h>
#include <string.h>

static const char *memory_kind_text(uint64_t kind)
{
	static const char *const kinds[EVT_CUDA_MEMORY_LIMIT] = {
		[EVT_CUDA_ANY] = "unknown",   [EVT_CUDA_DEVICE] = "device",
		[EVT_CUDA_POOL] = "pool",     [EVT_CUDA_MANAGED] = "managed",
		[EVT_CUDA_PINNED] = "pinned", [EVT_CUDA_REGISTERED] = "registered",
		[EVT_CUDA_ARRAY] = "array",   [EVT_CUDA_VIRTUAL] = "virtual",
	};

	return kinds[kind < EVT_CUDA_MEMORY_LIMIT ? kind : EVT_CUDA_ANY];
}

static void device_put_row(const struct cuda *cuda, struct table *table, uint32_t number)
{
	const struct device_memory *memory = &cuda->memory;
	const struct device_row *row = &memory->row[number];
	const char *kind = memory_kind_text(row->kind);

	table_add_row(table);
	table_set_text(table, COLUMN_device_memory_kind, kind, strlen(kind));
	if (row->device >= 0)
		table_set_number(table, COLUMN_device_memory_device, (uint64_t)row->device);
	if (cuda->keyed == CUDA_MEMORY)
		key_put(cuda_key(cuda), row->key, table);
	table_set_number(table, COLUMN_device_memory_allocations, row->allocations);
	table_set_number(table, COLUMN_device_memory_frees, row->frees);
	table_set_number(table, COLUMN_device_memory_bytes_allocated, row->bytes_allocated);
	table_set_number(table, COLUMN_device_memory_peak_bytes, highwater_peak(&row->live));
	table_set_number(table, COLUMN_device_memory_at_peak_bytes,
			 device_memory_at_peak(memory, number));
	table_set_number(table, COLUMN_device_memory_live_bytes, row->live.now);
}

struct device_totals device_fill_table(const struct cuda *cuda, struct table *table)
{
	const struct device_memory *memory = &cuda->memory;
	struct device_totals totals = { 0 };

	for (size_t i = 0; i < memory->row_count; i++) {
		const struct device_row *row = &memory->row[i];

		device_put_row(cuda, table, (uint32_t)i);
		totals.allocations += row->allocations;
		totals.frees += row->frees;
		totals.bytes_allocated += row->bytes_allocated;
		totals.live_bytes += row->live.now;
	}
	return totals;
}
