/* SPDX-License-Identifier: MIT */
/*
 * Detail windows (INTERCEPT_BUDGET): operators and blocks of memory are recorded in the steps that
 * were drawn, everything else always. A process without an edge of a window has detail all the
 * time.
 *
 * Memory grows with processes.
 */
#ifndef REPORT_CORE_DETAIL_H
#define REPORT_CORE_DETAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct detail_process {
	bool is_off;       /* now */
	bool was_off;      /* at some time */
	uint64_t since_ns; /* of the window that is open, or was the last one */
	bool is_in_step;
	uint64_t step_ns; /* the current step began */
};

/* All zeros is a new object. */
struct detail {
	struct detail_process *process; /* by index */
	size_t room;
	/* of processes with windows: steps that ended and count, and those that have detail */
	uint64_t steps, detailed;
	uint64_t until_ns; /* the first window of any process ended; 0: none has */
};

void detail_release(struct detail *detail);
/* A window begins or ends. */
void detail_take(struct detail *detail, uint32_t process, uint64_t time_ns, bool begins);
/* A step ends, and the next one begins. */
void detail_take_step(struct detail *detail, uint32_t process, uint64_t time_ns, bool counts);

/* Returns whether the process has had detail without a break since that time. */
bool detail_covers(const struct detail *detail, uint32_t process, uint64_t from_ns);
/* Returns whether the process has had detail all the time so far. */
bool detail_is_unbroken(const struct detail *detail, uint32_t process);

#endif
