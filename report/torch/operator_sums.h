/* SPDX-License-Identifier: MIT */
/*
 * INTERCEPT_GPU=sums: the GPU's work by the operators and labels that its calls were made in. The
 * recording has chains of scopes (gpu_scope) and sums for each; after the reading they become the
 * GPU time of rows of operators.h. Work outside of operators and labels is in no row.
 *
 * A scope directly within one of its own name and kind counts as part of it. That is what
 * operators.h does with an only child of that name; others that are one by this cannot be told.
 * Memory grows with scopes. One thread.
 */
#ifndef REPORT_TORCH_OPERATOR_SUMS_H
#define REPORT_TORCH_OPERATOR_SUMS_H

#include "report/core/analysis.h"
#include "report/torch/operator_naming.h"
#include "report/torch/operators.h"

struct operator_sums {
	struct source *source;
	struct operator_names *names;
	struct operator_sum_scope {
		uint32_t outer, name; /* outer: index + 1; 0: none */
		uint64_t kind, own_ns, total_ns, count;
		bool is_hidden, is_known;
	} * scope;
	size_t scope_count, scope_room;
	struct map numbers; /* file and number of a scope to its index */
	uint64_t left_out;  /* pieces in a scope that is not known */
};

void operator_sums_init(struct operator_sums *sums);
void operator_sums_release(struct operator_sums *sums);
/* For start() of an analysis. */
void operator_sums_want(struct operator_sums *sums, struct run *run,
			struct operator_naming *naming);
/*
 * After the reading: adds to the rows. If rows are of less than the whole run, or by more than
 * names, nobody knows how the sums divide: they are left out, and counted.
 */
void operator_sums_settle(struct operator_sums *sums, struct operators *operators, bool is_divided);

#endif
