/* SPDX-License-Identifier: MIT */
/* Adds one row for each range with a call that counts, and puts its names into the cells. */
#include "report/nvtx/rows_ranges.h"

#include <string.h>

#include "report/table/cells.h"
#include "report/table/rows_timing.h"

#define DEFAULT_DOMAIN "default"

void range_put_domain(struct table *table, enum column_id column, const struct source_name *domain)
{
	size_t length;
	const char *text = name_text(domain, &length);

	table_set_text(table, column, length ? text : DEFAULT_DOMAIN,
		       length ? length : strlen(DEFAULT_DOMAIN));
}

static void table_put_times(struct table *table, const struct range_row *row, uint64_t all_self_ns)
{
	uint64_t cpu_ns;

	table_set_number(table, COLUMN_nvtx_total_ns, row->time.total_ns);
	if (cpu_span_value(&row->cpu, row->time.total_ns, &cpu_ns))
		table_set_number(table, COLUMN_nvtx_cpu_ns, cpu_ns);
	table_set_number(table, COLUMN_nvtx_self_ns, row->self_ns);
	if (all_self_ns)
		table_set_real(table, COLUMN_nvtx_percent,
			       100.0 * (double)row->self_ns / (double)all_self_ns);
	timing_put(table, TIMING_COLUMNS(nvtx), &row->time);
}

static void table_put_range(struct table *table, const struct source *source,
			    const struct range_row *row, uint64_t all_self_ns)
{
	table_put_name(table, COLUMN_nvtx_name, source, row->name);
	range_put_domain(table, COLUMN_nvtx_domain, source_name_at(source, row->domain));
	table_set_number(table, COLUMN_nvtx_depth, row->depth);
	table_set_number(table, COLUMN_nvtx_count, row->count);
	table_set_number(table, COLUMN_nvtx_open, row->open);
	table_put_times(table, row, all_self_ns);
}

static void table_put_gpu(struct table *table, const struct range_row *row)
{
	static const struct timing_columns columns = {
		.avg = COLUMN_nvtx_gpu_proj_avg_ns,
		.min = COLUMN_nvtx_gpu_proj_min_ns,
		.max = COLUMN_nvtx_gpu_proj_max_ns,
		.stddev = COLUMN_nvtx_gpu_proj_stddev_ns,
		.p50 = COLUMN_nvtx_gpu_proj_p50_ns,
		.p90 = COLUMN_nvtx_gpu_proj_p90_ns,
		.p99 = COLUMN_nvtx_gpu_proj_p99_ns,
	};

	table_set_number(table, COLUMN_nvtx_gpu_self_ns, row->gpu ? row->gpu->self_ns : 0);
	table_set_number(table, COLUMN_nvtx_gpu_proj_ns,
			 row->gpu ? row->gpu->projected.total_ns : 0);
	table_set_number(table, COLUMN_nvtx_gpu_proj_count,
			 row->gpu ? row->gpu->projected.count : 0);
	if (row->gpu)
		timing_put(table, columns, &row->gpu->projected);
}

void ranges_fill_table(const struct ranges *ranges, const struct run *run, struct table *table)
{
	struct work_columns columns = work_columns_of("nvtx", run);
	uint64_t all_self_ns = 0;

	table->is_tree = ranges->by_path;
	for (size_t i = 0; i < ranges->row_count; i++)
		all_self_ns += ranges->row[i].self_ns;
	for (size_t i = 0; i < ranges->row_count; i++) {
		size_t place = table_add_row(table);

		if (table->is_tree && ranges->row[i].parent != RANGE_NONE)
			table->parent[place] = ranges->row[i].parent;
		table_put_range(table, run_source(run), &ranges->row[i], all_self_ns);
		work_put_columns(&columns, table, &ranges->row[i].work);
		if (works_have_deferred(run))
			table_put_gpu(table, &ranges->row[i]);
	}
}
