/* SPDX-License-Identifier: MIT */
/*
 * Where a span of time is drawn when spans of one line may only nest: the first lane of its track on which it crosses no
 * other. Most tracks need one lane. A viewer that has begins and ends only (Perfetto) gives a span that crosses another
 * the other's end, so that what does not nest must not be on one lane; nor what begins at the same moment as a
 * span inside of it that was put before.
 *
 * Spans may come in any order; those of a thread come by their ends. A lane remembers the outermost of its last LANE_SPANS
 * spans exactly, and of all before these only where they begin and end: one that crosses that whole stretch, and might
 * cross one of them, gets another lane.
 */
#ifndef REPORT_EXPORT_LANES_H
#define REPORT_EXPORT_LANES_H

#include <stddef.h>
#include <stdint.h>

#define LANE_SPANS 8192u
#define LANE_NO_END UINT64_MAX

struct lanes {
	struct lane *lane;
	uint32_t count;
	size_t room;
};

/* The number of the lane, from 0; end >= start. */
uint32_t lanes_put(struct lanes *lanes, uint64_t start_ns, uint64_t end_ns);
void lanes_release(struct lanes *lanes);

#endif
