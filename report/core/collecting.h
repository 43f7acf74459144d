/* SPDX-License-Identifier: MIT */
/*
 * Collections of Python's garbage collector that are under way: at most one for each thread, since
 * they do not nest. For analyses that need the duration of each collection. Memory grows with
 * threads. To be used by one thread.
 */
#ifndef REPORT_CORE_COLLECTING_H
#define REPORT_CORE_COLLECTING_H

#include "report/core/analysis.h"

struct collecting {
	struct collecting_thread {
		bool is_open, counts; /* counts: the filters held where it began */
		uint64_t since_ns;
	} * thread; /* by index */
	size_t room;
};

/* A collection that has ended. */
struct collected {
	uint64_t duration_ns;
	bool counts;
};

/* For events gc_begin and gc_end. collecting_end() returns false if no begin is known. */
void collecting_begin(struct collecting *collecting, const struct source_event *event, bool counts);
bool collecting_end(struct collecting *collecting, const struct source_event *event,
		    struct collected *ret_collected);
/*
 * The end of the thread's collection will not be seen. Returns true if there was one that counts.
 */
bool collecting_cut(struct collecting *collecting, uint32_t thread);
void collecting_release(struct collecting *collecting);

#endif
