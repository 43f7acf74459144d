/* SPDX-License-Identifier: MIT */
/*
 * The Python functions with most time of their own, as torch.utils.bottleneck has them from
 * cProfile: of all calls where those were recorded (INTERCEPT_TRACE=+functions), else of samples.
 * The title says which. Nothing where there is neither.
 */
#ifndef REPORT_ADVICE_TOP_FUNCTIONS_H
#define REPORT_ADVICE_TOP_FUNCTIONS_H

#include "report/advice/bottleneck.h"

void top_functions_print(const struct bottleneck *bottleneck, const struct document *document,
			 const struct screen *screen);

#endif
