/* SPDX-License-Identifier: MIT */
/* The columns that every table of durations has: avg, min, max, stddev and percentiles. */
#ifndef REPORT_TABLE_ROWS_TIMING_H
#define REPORT_TABLE_ROWS_TIMING_H

#include "report/table/table.h"
#include "report/base/timing.h"

/* The report's columns for them. */
struct timing_columns {
	enum column_id avg, min, max, stddev, p50, p90, p99;
};

#define TIMING_COLUMNS(report)                                                           \
	((struct timing_columns){ COLUMN_##report##_avg_ns, COLUMN_##report##_min_ns,    \
				  COLUMN_##report##_max_ns, COLUMN_##report##_stddev_ns, \
				  COLUMN_##report##_p50_ns, COLUMN_##report##_p90_ns,    \
				  COLUMN_##report##_p99_ns })

/* Fills the row added last. The cells stay empty if nothing was timed. */
void timing_put(struct table *table, struct timing_columns columns, const struct timing *timing);

#endif
