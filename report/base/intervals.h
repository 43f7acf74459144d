/* SPDX-License-Identifier: MIT */
/*
 * Ranges of numbers that do not overlap, each with a tag: what is mapped where. A new range
 * replaces what was there. If a part of a range is removed, the rest stays.
 *
 * At most INTERVALS_MAX ranges. A range without room is dropped, as if it had been removed. An
 * operation takes at most a few hundred steps for each range that it touches. Running out of memory
 * ends the program (report/base/memory.h).
 */
#ifndef REPORT_BASE_INTERVALS_H
#define REPORT_BASE_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INTERVALS_MAX (1u << 17) /* twice the default limit of mappings per process in Linux */

struct interval {
	uint64_t start, end; /* from start to before end */
	uint32_t tag;
};

struct intervals {
	struct interval_chunk **chunk; /* no chunk is empty */
	size_t chunks, room;
	size_t count; /* number of ranges */
};

/* All zeros is an empty one. */
void intervals_release(struct intervals *intervals);

/* Called for each piece. */
typedef void intervals_visit(void *context, const struct interval *piece);

/* Visits the ranges in [from, to), cut to it, in order. `visit` must not change the intervals. */
void intervals_each(const struct intervals *intervals, uint64_t from, uint64_t to,
		    intervals_visit *visit, void *context);
/* Removes what is in [from, to) and calls `gone` for each piece. */
void intervals_erase(struct intervals *intervals, uint64_t from, uint64_t to, intervals_visit *gone,
		     void *context);
/* Adds a range where nothing else is. Returns false if it is empty or there is no room. */
bool intervals_put(struct intervals *intervals, const struct interval *range);

#endif
