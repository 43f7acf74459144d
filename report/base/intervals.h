/* SPDX-License-Identifier: MIT */
/*
 * Ranges of numbers that do not overlap, each with a tag: what is mapped where. A new range takes the place of what
 * was there, and a part that is taken out leaves the rest.
 *
 * At most INTERVALS_MAX ranges; what has no room is gone, as if it had been taken out. An operation costs a
 * few hundred steps at most for each range that it touches. Running out of memory ends the program
 * (report/base/memory.h).
 */
#ifndef REPORT_BASE_INTERVALS_H
#define REPORT_BASE_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INTERVALS_MAX (1u << 17) /* twice what Linux lets a process map unasked */

struct interval {
	uint64_t start, end; /* from start to before end */
	uint32_t tag;
};

struct intervals {
	struct interval_chunk **chunk; /* none of them is empty */
	size_t chunks, room;
	size_t count; /* of ranges */
};

/* All zeros is an empty one. */
void intervals_release(struct intervals *intervals);

/* Is told each piece. */
typedef void intervals_visit(void *context, const struct interval *piece);

/* What lies in [from, to), cut to it, in order. `visit` may not change the intervals. */
void intervals_each(const struct intervals *intervals, uint64_t from, uint64_t to,
		    intervals_visit *visit, void *context);
/* Removes what lies in [from, to) and calls `gone` for it. */
void intervals_erase(struct intervals *intervals, uint64_t from, uint64_t to, intervals_visit *gone,
		     void *context);
/* Puts a range where nothing else is; false when it is empty or there is no room. */
bool intervals_put(struct intervals *intervals, const struct interval *range);

#endif
