/* SPDX-License-Identifier: MIT */
/*
 * How long INTERCEPT_CAPTURE let a run be recorded: the time during which at least one process had its
 * capture range open. Memory grows with processes.
 */
#ifndef REPORT_CORE_RECORDED_TIME_H
#define REPORT_CORE_RECORDED_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeros is new. */
struct recorded_time {
	bool *open; /* by process */
	size_t room;
	uint32_t open_count;
	uint64_t since_ns, total_ns;
	uint64_t windows; /* that opened, in all processes */
};

void recorded_time_release(struct recorded_time *captured);
void recorded_time_open(struct recorded_time *captured, uint32_t process, uint64_t time_ns);
/* Also at the end of the process; nothing when it is not open. */
void recorded_time_close(struct recorded_time *captured, uint32_t process, uint64_t time_ns);

#endif
