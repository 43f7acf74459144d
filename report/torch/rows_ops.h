/* SPDX-License-Identifier: MIT */
/* Makes the table of report ops from the rows of operators. */
#ifndef REPORT_TORCH_ROWS_OPS_H
#define REPORT_TORCH_ROWS_OPS_H

#include "report/session/source.h"
#include "report/table/table.h"
#include "report/torch/operator_names.h"
#include "report/torch/operators.h"

struct ops_totals {
	uint64_t calls, self_cpu_ns, open;
	uint64_t estimated_calls; /* those that were not recorded included */
	uint64_t self_cuda_ns;    /* on the GPU */
};

/*
 * After the reading and before the table is made: joins rows whose callers mean the same by --by.
 */
void ops_settle(struct operators *operators);

/* `table` has columns of report ops; operators without a call that counts are left out. */
struct ops_totals ops_fill_table(const struct operators *operators, const struct source *source,
				 struct table *table);

/*
 * Returns whether INTERCEPT_OPERATORS sampled the operators: each was recorded or not,
 * independently of the enclosing one. Calls, times of calls, and counters by time are correct then.
 * Self times, shares and memory are not, and are left out of the table.
 */
bool ops_are_sampled(const struct operators *operators);

/* Returns the totals without making rows. */
struct ops_totals ops_add_up(const struct operators *operators, const struct source *source);

/* Returns false without a call that counts, and for a hidden operator whose text came after it. */
bool ops_row_is_shown(const struct source *source, const struct operator_row *row);
/* Returns the name of a row as it is shown. */
struct operator_text ops_row_name(const struct source *source, const struct operator_row *row);

#endif
