/* SPDX-License-Identifier: MIT */
/* The PyTorch part of the summary: the operators with the most self time. */
#include <stdio.h>

#include "report/torch/part_ops.h"
#include "report/torch/rows_ops.h"
#include "report/summary/summary.h"

#define ROWS_OF_OPERATORS 8

void summary_print_torch(const struct summary *summary, const struct document *document,
			 const struct screen *screen)
{
	static const struct operators_part part = { "PyTorch operators by self CPU time",
						    "PyTorch operators by total CPU time",
						    ROWS_OF_OPERATORS };
	const struct ops_totals *totals = &summary->totals.operators;
	char calls[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES];

	if (!totals->calls)
		return;
	operators_print_part(summary->operators, &part, document, screen);
	if (!ops_are_sampled(summary->operators))
		fprintf(screen->out, "Self CPU time total: %s in %s call%s\n",
			unit_format_ns(time, totals->self_cpu_ns),
			unit_format_count(calls, totals->calls), totals->calls == 1 ? "" : "s");
}
