/* SPDX-License-Identifier: MIT */
/* The heap, as an analysis of a run. */
#ifndef REPORT_HEAP_HEAP_EVENTS_H
#define REPORT_HEAP_HEAP_EVENTS_H

#include "report/core/analysis.h"
#include "report/options/options.h"
#include "report/heap/heap.h"

struct heap_options {
	enum key_id by; /* of report alloc; a key that depends on the stack means by stack */
	enum heap_of of;
};
ANALYSIS(heap, struct heap)

/* By option --allocator. */
enum heap_of heap_of_options(const struct options *options);
/* Returns the family to which these blocks belong. */
enum evt_family heap_family(enum heap_of of);

#endif
