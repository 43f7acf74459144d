/* SPDX-License-Identifier: MIT */
/*
 * Collections of Python's garbage collector that are under way, at most one a thread, since they do not nest. For analyses that want
 * to know how long each one took. Memory grows with threads. One thread.
 */
#ifndef REPORT_CORE_COLLECTING_H
#define REPORT_CORE_COLLECTING_H

#include "report/core/analysis.h"

struct collecting {
	struct collecting_thread {
		bool is_open, counts; /* counts: where it began, the filters held */
		uint64_t since_ns;
	} * thread; /* by index */
	size_t room;
};

/* A collection that has ended. */
struct collected {
	uint64_t duration_ns;
	bool counts;
};

/* For events gc_begin and gc_end. collecting_end() returns false where no begin is known. */
void collecting_begin(struct collecting *collecting, const struct source_event *event, bool counts);
bool collecting_end(struct collecting *collecting, const struct source_event *event,
		    struct collected *ret_collected);
/* Its end will not be seen. Returns true where one was under way that counts. */
bool collecting_cut(struct collecting *collecting, uint32_t thread);
void collecting_release(struct collecting *collecting);

#endif
