/* SPDX-License-Identifier: MIT */
/*
 * Collections of Python's garbage collector as an analysis of a run: by generation, by line, or by a kind of key. A collection is of
 * where and when it began, and counts when its end is there. Memory grows with rows and threads. One thread.
 */
#ifndef REPORT_GC_GC_EVENTS_H
#define REPORT_GC_GC_EVENTS_H

#include "report/core/analysis.h"
#include "report/core/key.h"

enum collections_sum { COLLECTIONS_FREED, COLLECTIONS_UNCOLLECTABLE };

/* Words of a group's key. */
enum collections_word {
	COLLECTIONS_KEY,  /* of a kind, or the generation */
	COLLECTIONS_FILE, /* by line: index of a name */
	COLLECTIONS_LINE, /* 0: none is known */
};

struct collections {
	struct groups groups;
	struct run_key key;
	uint64_t open; /* all of which no end is known */
};

struct collections_options {
	enum key_id by;
};
ANALYSIS(collections, struct collections)

#endif
