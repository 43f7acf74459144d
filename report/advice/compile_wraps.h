/* SPDX-License-Identifier: MIT */
/*
 * How much of a loop runs inside of functions that were given to torch.compile, compiled or not.
 * Its wrapper stays around a function that the compiler gives up, which then runs as without it.
 */
#ifndef REPORT_ADVICE_COMPILE_WRAPS_H
#define REPORT_ADVICE_COMPILE_WRAPS_H

#include "report/advice/bottleneck.h"

/*
 * Returns the percentage of the samples' time of complete settled steps that is inside of them; 0:
 * too few samples, or an old PyTorch, where the wrapper is named like others.
 */
double compile_wraps_percent(const struct step_lines *lines);
/*
 * For advice that recommends torch.compile: adds that it is used already and does nothing, where
 * that is so.
 */
void compile_wraps_say(const struct bottleneck *bottleneck, struct advice *advice);

#endif
