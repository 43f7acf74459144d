/* SPDX-License-Identifier: MIT */
/*
 * Writes views.sql, views.clickhouse.sql and views.spark.sql into a folder of Parquet tables: a
 * view for each table that the folder has, and the questions of parquet_views.def that those can
 * answer. Where several exports go into one folder, each writes these files again, for the
 * tables that are there by then.
 */
#ifndef REPORT_EXPORT_PARQUET_VIEWS_H
#define REPORT_EXPORT_PARQUET_VIEWS_H

#include "report/core/report.h"

/* `table`: the names of all tables. Returns 0, or -1 with the request's message. */
int parquet_views_write(struct report_request *request, const char *const *table, size_t tables);

#endif
