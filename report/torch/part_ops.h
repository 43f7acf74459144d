/* SPDX-License-Identifier: MIT */
/* The operators that took the most time, as a part of a longer text. */
#ifndef REPORT_TORCH_PART_OPS_H
#define REPORT_TORCH_PART_OPS_H

#include "report/table/part.h"
#include "report/torch/operators.h"

/* Operators by self time, or by total if they were sampled. */
struct operators_part {
	const char *title, *title_sampled;
	size_t rows;
};
void operators_print_part(const struct operators *operators, const struct operators_part *part,
			  const struct document *document, const struct screen *screen);

#endif
