/* SPDX-License-Identifier: MIT */
/* Makes the tables of reports api, launches and memcpy from CUDA calls, with names. */
#ifndef REPORT_CUDA_ROWS_CUDA_H
#define REPORT_CUDA_ROWS_CUDA_H

#include "report/cuda/cuda_events.h"
#include "report/cuda/kernel_names.h"
#include "report/table/table.h"

/* `table` has the columns of the report, by the key with which the events were read. */
void api_fill_table(struct cuda *cuda, const struct source *source, struct table *table);
/* Texts in the table live as long as `names`. */
void launches_fill_table(struct cuda *cuda, struct table *table, struct kernel_names *names);
void copies_fill_table(struct cuda *cuda, const struct source *source, struct table *table);

/* "HtoD" and so on. */
const char *copy_kind_text(uint64_t kind);
/* Returns the number of calls that launch a graph. */
uint64_t api_count_graph_launches(const struct cuda *cuda, const struct source *source);

#endif
