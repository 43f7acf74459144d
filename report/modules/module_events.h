/* SPDX-License-Identifier: MIT */
/*
 * Calls of PyTorch's modules as an analysis of a run: ranges that nest per thread
 * (ranges/ranges.h), kept by their path, with the thread's work inside of them.
 */
#ifndef REPORT_MODULES_MODULE_EVENTS_H
#define REPORT_MODULES_MODULE_EVENTS_H

#include "report/core/analysis.h"
#include "report/ranges/ranges.h"

struct modules_options {
	uint32_t work; /* kinds of work inside, as bits WORK_BIT() */
};
ANALYSIS(modules, struct ranges)

#endif
