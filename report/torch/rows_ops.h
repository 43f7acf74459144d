/* SPDX-License-Identifier: MIT */
/* The rows of operators as a table of report ops: names looked up. */
#ifndef REPORT_TORCH_ROWS_OPS_H
#define REPORT_TORCH_ROWS_OPS_H

#include "report/session/source.h"
#include "report/table/table.h"
#include "report/torch/operator_names.h"
#include "report/torch/operators.h"

struct ops_totals {
	uint64_t calls, self_cpu_ns, open;
	uint64_t self_cuda_ns; /* on the GPU */
};

/* Once all is read: rows whose callers mean the same by --by become one. Before the table. */
void ops_settle(struct operators *operators);

/* `table` has columns of report ops; operators without a call that counts are left out. */
struct ops_totals ops_fill_table(const struct operators *operators, const struct source *source,
				 struct table *table);

/*
 * INTERCEPT_OPERATORS: each operator was recorded or not, whatever it was in. Calls, times of calls and
 * what is counted by time hold; self times and shares, and memory, do not and are not in the table.
 */
bool ops_are_sampled(const struct operators *operators);

/* Without rows. */
struct ops_totals ops_add_up(const struct operators *operators, const struct source *source);

/* False without a call that counts, and of a hidden operator whose text came after it. */
bool ops_row_is_shown(const struct source *source, const struct operator_row *row);
/* The name of a row as it is shown. */
struct operator_text ops_row_name(const struct source *source, const struct operator_row *row);

#endif
