/* SPDX-License-Identifier: MIT */
/* The rows of ranges as a table of report nvtx: see rows_ranges.h. */
#include "report/rows_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "report/absence.h"
#include "report/rows_timing.h"

#define DEFAULT_DOMAIN "default"
#define NO_RANGE "(no range)"

const char *range_text(const struct source_name *name, size_t *ret_length)
{
	const char *text = source_name_text(name);

	*ret_length = name->text ? name->length : strlen(text);
	return text;
}

/* Key of a row by what people see: the joined row around it, domain, name. */
static uint64_t row_key(const struct model *model, const struct range_row *row,
			const uint32_t *joined)
{
	uint64_t around = row->parent == RANGE_NONE ? 0 : (uint64_t)joined[row->parent] + 1;
	size_t length;
	const char *text = range_text(model->name[row->domain], &length);
	uint64_t key = map_hash_bytes(text, length, around);

	text = range_text(model->name[row->name], &length);
	return map_hash_bytes(text, length, key);
}

uint32_t *ranges_join(struct model *model)
{
	struct ranges *ranges = &model->ranges;
	uint32_t *joined = memory_zero(ranges->row_count, sizeof(*joined));
	struct map keys;

	map_init(&keys);
	for (size_t i = 0; i < ranges->row_count; i++) {
		bool added;
		struct map_entry *entry = map_put(&keys, row_key(model, &ranges->row[i], joined),
						  &added);

		if (added)
			entry->value = i;
		else
			range_row_merge(&ranges->row[entry->value], &ranges->row[i]);
		joined[i] = (uint32_t)entry->value;
	}
	map_release(&keys);
	return joined;
}

static void put_domain(struct table *table, enum column_id column, const struct source_name *domain)
{
	size_t length;
	const char *text = range_text(domain, &length);

	table_set_text(table, column, length ? text : DEFAULT_DOMAIN,
		       length ? length : strlen(DEFAULT_DOMAIN));
}

void range_put_place(struct table *table, const struct model *model,
		     const struct device_place *place, struct place_columns column)
{
	size_t length = strlen(NO_RANGE);
	const char *text = NO_RANGE;

	if (place->in_range) {
		text = range_text(model->name[place->name], &length);
		put_domain(table, column.domain, model->name[place->domain]);
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
	const char *text = range_text(model->name[row->name], &length);

	table_set_text(table, COLUMN_nvtx_name, text, length);
	put_domain(table, COLUMN_nvtx_domain, model->name[row->domain]);
	table_set_number(table, COLUMN_nvtx_depth, row->depth);
	table_set_number(table, COLUMN_nvtx_count, row->count);
	table_set_number(table, COLUMN_nvtx_open, row->open);
#define PUT(name) table_set_number(table, COLUMN_nvtx_##name, row->work.name);
	RANGE_WORK(PUT)
#undef PUT
	absence_clear(model, table, work_columns, sizeof(work_columns) / sizeof(*work_columns));
	table_put_times(table, row, all_self_ns);
}

void ranges_fill_table(struct model *model, struct table *table)
{
	struct ranges *ranges = &model->ranges;
	uint32_t *joined = ranges_join(model),
		 *place = memory_zero(ranges->row_count, sizeof(*place));
	uint64_t all_self_ns = 0;

	table->is_tree = ranges->by_path;
	for (size_t i = 0; i < ranges->row_count; i++)
		if (joined[i] == i)
			all_self_ns += ranges->row[i].self_ns;
	for (size_t i = 0; i < ranges->row_count; i++) {
		const struct range_row *row = &ranges->row[i];

		if (joined[i] != i)
			continue;
		place[i] = (uint32_t)table_add_row(table);
		if (table->is_tree && row->parent != RANGE_NONE)
			table->parent[place[i]] = place[joined[row->parent]];
		table_put_range(table, model, row, all_self_ns);
	}
	free(joined);
	free(place);
}
