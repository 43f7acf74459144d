/* SPDX-License-Identifier: MIT */
/* The rows of ranges as a table of report nvtx: see rows_ranges.h. */
#include "report/nvtx/rows_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "report/core/absence.h"
#include "report/table/rows_timing.h"

#define DEFAULT_DOMAIN "default"
#define NO_RANGE "(no range)"

static void put_domain(struct table *table, enum column_id column, const struct source_name *domain)
{
	size_t length;
	const char *text = name_text(domain, &length);

	table_set_text(table, column, length ? text : DEFAULT_DOMAIN,
		       length ? length : strlen(DEFAULT_DOMAIN));
}

void range_put_place(struct table *table, const struct model *model,
		     const struct device_place *place, struct place_columns column)
{
	size_t length = strlen(NO_RANGE);
	const char *text = NO_RANGE;

	if (place->in_range) {
		text = name_text(source_name_at(model->source, place->name), &length);
		put_domain(table, column.domain, source_name_at(model->source, place->domain));
	}
	table_set_text(table, column.range, text, length);
}

static void table_put_times(struct table *table, const struct range_row *row, uint64_t all_self_ns)
{
	table_set_number(table, COLUMN_nvtx_total_ns, row->time.total_ns);
	table_set_number(table, COLUMN_nvtx_self_ns, row->self_ns);
	if (all_self_ns)
		table_set_real(table, COLUMN_nvtx_percent,
			       100.0 * (double)row->self_ns / (double)all_self_ns);
	timing_put(table, TIMING_COLUMNS(nvtx), &row->time);
}

static const struct absence_column work_columns[] = {
	{ EVT_FAMILY_alloc, COLUMN_nvtx_allocations },
	{ EVT_FAMILY_alloc, COLUMN_nvtx_bytes_allocated },
	{ EVT_FAMILY_tensors, COLUMN_nvtx_tensor_bytes },
	{ EVT_FAMILY_torch, COLUMN_nvtx_operators },
	{ EVT_FAMILY_cuda, COLUMN_nvtx_cuda_calls },
	{ EVT_FAMILY_cuda, COLUMN_nvtx_cuda_ns },
	{ EVT_FAMILY_cuda, COLUMN_nvtx_launches },
	{ EVT_FAMILY_cuda, COLUMN_nvtx_memcpy_bytes },
	{ EVT_FAMILY_cuda, COLUMN_nvtx_device_bytes },
};

static void table_put_range(struct table *table, const struct model *model,
			    const struct range_row *row, uint64_t all_self_ns)
{
	size_t length;
	const char *text = name_text(source_name_at(model->source, row->name), &length);

	table_set_text(table, COLUMN_nvtx_name, text, length);
	put_domain(table, COLUMN_nvtx_domain, source_name_at(model->source, row->domain));
	table_set_number(table, COLUMN_nvtx_depth, row->depth);
	table_set_number(table, COLUMN_nvtx_count, row->count);
	table_set_number(table, COLUMN_nvtx_open, row->open);
#define PUT(name) table_set_number(table, COLUMN_nvtx_##name, row->work.name);
	RANGE_WORK(PUT)
#undef PUT
	absence_clear(model->run, table, work_columns,
		      sizeof(work_columns) / sizeof(*work_columns));
	table_put_times(table, row, all_self_ns);
}

void ranges_fill_table(struct model *model, struct table *table)
{
	struct ranges *ranges = &model->ranges;
	uint64_t all_self_ns = 0;

	table->is_tree = ranges->by_path;
	for (size_t i = 0; i < ranges->row_count; i++)
		all_self_ns += ranges->row[i].self_ns;
	for (size_t i = 0; i < ranges->row_count; i++) {
		size_t place = table_add_row(table);

		if (table->is_tree && ranges->row[i].parent != RANGE_NONE)
			table->parent[place] = ranges->row[i].parent;
		table_put_range(table, model, &ranges->row[i], all_self_ns);
	}
}
