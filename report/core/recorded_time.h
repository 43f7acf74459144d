/* SPDX-License-Identifier: MIT */
/*
 * How long INTERCEPT_CAPTURE let a run be recorded: the time during which at least one process had its
 * capture range open, and when that was. Memory grows with processes and windows.
 */
#ifndef REPORT_CORE_RECORDED_TIME_H
#define REPORT_CORE_RECORDED_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recorded_window {
	uint64_t from_ns, to_ns;
};

/* All zeros is new. */
struct recorded_time {
	bool *open; /* by process */
	size_t room;
	uint32_t open_count;
	uint64_t since_ns, total_ns;
	uint64_t windows; /* that opened, in all processes */
	struct recorded_window
		*closed; /* in order; what overlaps is one; of more than 65,536 the last grows */
	size_t closed_count, closed_room;
};

void recorded_time_release(struct recorded_time *captured);
void recorded_time_open(struct recorded_time *captured, uint32_t process, uint64_t time_ns);
/* Also at the end of the process; nothing when it is not open. */
void recorded_time_close(struct recorded_time *captured, uint32_t process, uint64_t time_ns);
/* Some of [from, to) was recorded in a process. */
bool recorded_time_touches(const struct recorded_time *captured, uint64_t from_ns, uint64_t to_ns);

#endif
