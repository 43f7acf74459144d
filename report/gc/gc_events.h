/* SPDX-License-Identifier: MIT */
/*
 * Collections of Python's garbage collector as an analysis of a run: by generation, by line, or by
 * a kind of key. The place and time of a collection are those of its begin; it counts when its end
 * has come. Memory grows with rows and threads. To be used by one thread.
 */
#ifndef REPORT_GC_GC_EVENTS_H
#define REPORT_GC_GC_EVENTS_H

#include "report/core/analysis.h"
#include "report/core/key.h"
#include "report/gc/gc_stacks.h"

enum collections_sum { COLLECTIONS_FREED, COLLECTIONS_UNCOLLECTABLE };

/* The word of a group's key: that of a kind, the generation, or the number of a stack. */
#define COLLECTIONS_KEY 0

struct collections {
	struct groups groups;
	struct run_key key;
	struct gc_stacks stacks; /* by line */
	uint64_t open;           /* collections whose end is not known */
};

struct collections_options {
	enum key_id by;
};
ANALYSIS(collections, struct collections)

#endif
