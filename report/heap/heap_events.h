/* SPDX-License-Identifier: MIT */
/* The heap as an analysis of a run. */
#ifndef REPORT_HEAP_HEAP_EVENTS_H
#define REPORT_HEAP_HEAP_EVENTS_H

#include "report/core/analysis.h"
#include "report/heap/heap.h"

struct heap_options {
	enum key_id by; /* of report alloc; one that is by what a stack says is by stack */
};
ANALYSIS(heap, struct heap)

#endif
