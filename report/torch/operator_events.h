/* SPDX-License-Identifier: MIT */
/* PyTorch's operators as an analysis of a run. */
#ifndef REPORT_TORCH_OPERATOR_EVENTS_H
#define REPORT_TORCH_OPERATOR_EVENTS_H

#include "report/core/analysis.h"
#include "report/core/key.h"
#include "report/torch/operators.h"

struct operators_options {
	uint32_t by_shapes;
	uint32_t is_full;   /* memory, CUDA calls and FLOPs too: all that report ops shows */
	uint32_t with_gpu;  /* what the GPU did for them; is_full has it, too */
	uint32_t is_placed; /* by `by` as well, a key of what called: BY_ops_line and its like */
	enum key_id by;
	uint32_t
		by_process; /* a row's share is of the time of processes, not of threads: operators_covered_ns() */
};
/* They are only followed, unless somebody keeps rows of them. */
ANALYSIS(operators, struct operators)

static inline struct operators *operators_want_rows(struct run *run,
						    const struct operators_options *options,
						    enum operators_kept kept)
{
	struct operators *operators = operators_want(run, options);

	if (operators->kept < kept)
		operators->kept = kept;
	return operators;
}

/* Where is_placed: what a row's place is. Of the analysis' own state. */
const struct run_key *operators_key(const struct operators *operators);

#endif
