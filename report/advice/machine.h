/* SPDX-License-Identifier: MIT */
/* The machine that a run was recorded on. */
#ifndef REPORT_ADVICE_MACHINE_H
#define REPORT_ADVICE_MACHINE_H

#include "report/advice/bottleneck.h"

/* Returns the number of CPUs; 0 if it was not reported or there were several machines. */
unsigned long machine_cores(const struct bottleneck *bottleneck);
bool machine_is_one(const struct bottleneck *bottleneck);

#endif
