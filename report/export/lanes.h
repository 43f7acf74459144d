/* SPDX-License-Identifier: MIT */
/*
 * Decides where a span of time is drawn when spans on one line must nest: on the first lane of its
 * track on which it crosses no other. Most tracks need one lane. A viewer that knows only begins
 * and ends (Perfetto) would give a span that crosses another the other's end. So spans that do not
 * nest must not be on one lane; nor a span that begins at the same moment as a span inside of it
 * that was added before.
 *
 * Spans may arrive in any order; those of a thread arrive in the order of their ends. A lane knows
 * the outermost of its last LANE_SPANS spans exactly, and of all earlier ones only where they begin
 * and end. A span that overlaps that whole stretch might cross one of them, so it gets another
 * lane.
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

/* Returns the number of the lane, from 0; end >= start. */
uint32_t lanes_put(struct lanes *lanes, uint64_t start_ns, uint64_t end_ns);
void lanes_release(struct lanes *lanes);

#endif
