/* SPDX-License-Identifier: MIT */
/*
 * How much of a run was recorded under INTERCEPT_CAPTURE: the time in which at least one process
 * had its capture range open, and when that was. Memory grows with processes and windows.
 */
#ifndef REPORT_CORE_RECORDED_TIME_H
#define REPORT_CORE_RECORDED_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recorded_window {
	uint64_t from_ns, to_ns;
};

/* All zeros is a new object. */
struct recorded_time {
	bool *open; /* by process */
	size_t room;
	uint32_t open_count;
	uint64_t since_ns, total_ns;
	uint64_t windows; /* windows that opened, over all processes */
	/* in order; overlapping ones are joined; beyond 65,536 the last one grows */
	struct recorded_window *closed;
	size_t closed_count, closed_room;
};

void recorded_time_release(struct recorded_time *captured);
void recorded_time_open(struct recorded_time *captured, uint32_t process, uint64_t time_ns);
/* To be called also at the end of the process. Does nothing if the range is not open. */
void recorded_time_close(struct recorded_time *captured, uint32_t process, uint64_t time_ns);
/* Returns whether a process recorded during a part of [from, to). */
bool recorded_time_touches(const struct recorded_time *captured, uint64_t from_ns, uint64_t to_ns);

#endif
