/* SPDX-License-Identifier: MIT */
/* Fills the columns that every table of durations has. */
#include "report/table/rows_timing.h"

void timing_put(struct table *table, struct timing_columns columns, const struct timing *timing)
{
	if (!timing->count)
		return;
	table_set_number(table, columns.avg, timing_average(timing));
	table_set_number(table, columns.min, timing->min_ns);
	table_set_number(table, columns.max, timing->max_ns);
	table_set_number(table, columns.stddev, timing_stddev(timing));
	if (timing->has_sums)
		return;
	table_set_number(table, columns.p50, timing_percentile(timing, 50));
	table_set_number(table, columns.p90, timing_percentile(timing, 90));
	table_set_number(table, columns.p99, timing_percentile(timing, 99));
}
