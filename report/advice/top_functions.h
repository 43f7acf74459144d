/* SPDX-License-Identifier: MIT */
/*
 * The Python functions with the most self time, as torch.utils.bottleneck shows them from cProfile:
 * from all calls if those were recorded (INTERCEPT_TRACE=+functions), otherwise from samples. The
 * title says which. Prints nothing if there is neither.
 */
#ifndef REPORT_ADVICE_TOP_FUNCTIONS_H
#define REPORT_ADVICE_TOP_FUNCTIONS_H

#include "report/advice/bottleneck.h"

void top_functions_print(const struct bottleneck *bottleneck, const struct document *document,
			 const struct screen *screen);

#endif
