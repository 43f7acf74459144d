/* SPDX-License-Identifier: MIT */
/*
 * Mappings beside the heap, as an analysis of a run. Mappings that the filters exclude are still
 * followed.
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
