/* SPDX-License-Identifier: MIT */
/*
 * Makes the table of report alloc from the rows of the heap: callers get names and are joined over
 * processes.
 */
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
/* The same with functions, for a heap by caller or by stack. `callers` is new. */
struct heap_names {
	struct stack_rows *stacks; /* rows have these; NULL: not wanted */
	enum symbol_form form;
	bool is_off;               /* as in symbols.h */
	bool for_people, is_brief; /* as in late_callers.h */
};
void heap_fill_named_table(struct heap *heap, struct source *source, struct table *table,
			   struct late_callers *callers, struct heap_names names);

/*
 * Returns the return address of a row by caller; for a row by stack, that of its innermost frame
 * which is no wrapper.
 */
uint64_t heap_row_caller(const struct heap *heap, const struct source *source,
			 const struct heap_row *row);

/* For keys that depend on the stack: rows of one stack, function, line or module are joined. */
void heap_fill_stacks(struct heap *heap, struct source *source, struct table *table,
		      struct stack_rows *rows);

/*
 * For rows with estimates: the largest come first, unless the user has chosen an order, and people
 * do not see the column `counted`, which stays empty. `quiet` becomes that column's and must
 * outlive the table.
 */
void heap_show_estimates(struct report *report, struct table *table, enum column_id counted,
			 struct column *quiet);
/* An amount of estimate.h in two columns, and its share of `all_bytes` in a third. */
struct estimate_columns {
	enum column_id allocations, bytes, percent;
};
void heap_put_estimate(struct table *table, struct estimate_columns columns,
		       struct estimate_amount amount, uint64_t all_bytes);
/* Prints lines below a table whose rows are estimates, or could be mistaken for estimates. */
void heap_print_sampling(const struct heap *heap, const struct report *report,
			 const struct screen *screen);

/* Returns " +- BYTES" where the heap is a sample, else "". */
#define HEAP_ERROR_BYTES (UNIT_TEXT_BYTES + 8)
const char *heap_error(char text[HEAP_ERROR_BYTES], const struct heap *heap, double variance);
/* Prints what the sample is, above a table; nothing where each allocation was recorded. */
void heap_print_sample(const struct heap *heap, const struct screen *screen);
/* The same for programs, with the standard errors of the totals. */
void heap_sample_total(const struct heap *heap, struct facts *facts);

/*
 * Returns what the live bytes are, in words. For a Python program they are what it used when it had
 * finished: its runtime frees most of that.
 */
const char *heap_still_live(const struct heap *heap, const struct run *run,
			    struct coverage_text *ret_text);

/* For a report of blocks: returns why there are none. */
const char *heap_explain(const struct report *report, struct why_empty *absence);

/*
 * Prints the heap over time as one line of block characters, `width` wide; nothing if there was no
 * heap event.
 */
void heap_print_curve(const struct heap *heap, const struct run *run, const struct screen *screen,
		      size_t width);

#endif
