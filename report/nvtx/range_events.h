/* SPDX-License-Identifier: MIT */
/* NVTX ranges as an analysis of a run. */
#ifndef REPORT_NVTX_RANGE_EVENTS_H
#define REPORT_NVTX_RANGE_EVENTS_H

#include "report/core/analysis.h"
#include "report/ranges/ranges.h"

struct ranges_options {
	uint32_t by_path;
	uint32_t work; /* kinds of work that occurred inside, bits WORK_BIT() */
};
ANALYSIS(ranges, struct ranges)

#endif
