/* SPDX-License-Identifier: MIT */
/* The rows of the heap as a table of report alloc: callers named and joined over processes. */
#ifndef REPORT_HEAP_ROWS_HEAP_H
#define REPORT_HEAP_ROWS_HEAP_H

#include "report/options/keys.h"
#include "report/core/report_kind.h"
#include "report/core/coverage.h"
#include "report/table/export.h"
#include "report/heap/heap.h"
#include "report/stacks/stack_rows.h"
#include "report/symbols/late_callers.h"
#include "report/table/table.h"

/* `table` has columns of report alloc by the heap's key. */
void heap_fill_table(struct heap *heap, struct source *source, struct table *table);
/* The same with functions, of a heap by caller or by stack. `callers` is new. */
struct heap_names {
	struct stack_rows *stacks; /* rows have these; NULL: not asked for */
	enum symbol_form form;
	bool is_off;               /* as in symbols.h */
	bool for_people, is_brief; /* as in late_callers.h */
};
void heap_fill_named_table(struct heap *heap, struct source *source, struct table *table,
			   struct late_callers *callers, struct heap_names names);

/* The return address of a row by caller; of one by stack that of its innermost frame which is no wrapper. */
uint64_t heap_row_caller(const struct heap *heap, const struct source *source,
			 const struct heap_row *row);

/* By what a stack says: rows of one stack, function, line or module are one. */
void heap_fill_stacks(struct heap *heap, struct source *source, struct table *table,
		      struct stack_rows *rows);

/*
 * Rows have estimates: the largest come first, unless the user has said what does, and people do not see the `counted` column,
 * which stays empty. `quiet` becomes that column's and outlives the table.
 */
void heap_show_estimates(struct report *report, struct table *table, enum column_id counted,
			 struct column *quiet);
/* An amount of estimate.h in two columns, and its share of `all_bytes` in a third. */
struct estimate_columns {
	enum column_id allocations, bytes, percent;
};
void heap_put_estimate(struct table *table, struct estimate_columns columns,
		       struct estimate_amount amount, uint64_t all_bytes);
/* Below a table whose rows are estimates, or may be misread as such. */
void heap_print_sampling(const struct heap *heap, const struct report *report,
			 const struct screen *screen);

/* What the live bytes are, in words; of a Python program it is what it used at its end: its runtime frees most of that. */
const char *heap_still_live(const struct heap *heap, const struct run *run,
			    struct coverage_text *ret_text);

/* Of a report of blocks: why there is none. */
const char *heap_explain(const struct report *report, struct why_empty *absence);

/* The heap over time as one line of blocks; `width` columns. Nothing when there was no heap event. */
void heap_print_curve(const struct heap *heap, const struct run *run, const struct screen *screen,
		      size_t width);

#endif
