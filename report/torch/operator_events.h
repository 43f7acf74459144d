/* SPDX-License-Identifier: MIT */
/* PyTorch's operators as an analysis of a run. */
#ifndef REPORT_TORCH_OPERATOR_EVENTS_H
#define REPORT_TORCH_OPERATOR_EVENTS_H

#include "report/core/analysis.h"
#include "report/core/key.h"
#include "report/torch/operators.h"

struct operators_options {
	uint32_t by_shapes;
	uint32_t is_full;   /* also memory, CUDA calls and FLOPs: all that report ops shows */
	uint32_t with_gpu;  /* also GPU work; is_full includes it */
	uint32_t is_placed; /* also by `by`, a key of the caller: BY_ops_line and similar */
	enum key_id by;
	/* a row's share refers to the time of processes, not of threads: operators_covered_ns() */
	uint32_t by_process;
};
/* The operators are only followed, unless somebody wants their rows. */
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

/* If is_placed: the key of a row's place. For the analysis' own state. */
const struct run_key *operators_key(const struct operators *operators);

#endif
