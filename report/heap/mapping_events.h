/* SPDX-License-Identifier: MIT */
/*
 * What is mapped beside the heap, as an analysis of a run. What filters leave out is mapped all the
 * same.
 */
#ifndef REPORT_HEAP_MAPPING_EVENTS_H
#define REPORT_HEAP_MAPPING_EVENTS_H

#include "report/core/analysis.h"
#include "report/heap/mappings.h"

struct mappings_options {
	char unused;
};
ANALYSIS(mappings, struct mappings)

#endif
