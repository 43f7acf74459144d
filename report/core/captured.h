/* SPDX-License-Identifier: MIT */
/*
 * How long INTERCEPT_CAPTURE let a run be recorded: the time during which at least one process had its
 * capture range open. Memory grows with processes.
 */
#ifndef REPORT_CORE_CAPTURED_H
#define REPORT_CORE_CAPTURED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeros is new. */
struct captured {
	bool *open; /* by process */
	size_t room;
	uint32_t open_count;
	uint64_t since_ns, total_ns;
	uint64_t windows; /* that opened, in all processes */
};

void captured_release(struct captured *captured);
void captured_open(struct captured *captured, uint32_t process, uint64_t time_ns);
/* Also at the end of the process; nothing when it is not open. */
void captured_close(struct captured *captured, uint32_t process, uint64_t time_ns);

#endif
