/* SPDX-License-Identifier: MIT */
/*
 * Detail windows (INTERCEPT_BUDGET): operators and blocks of memory are recorded in the steps that
 * were drawn, everything else always. A process without an edge of a window has detail all the
 * time. A process that has no steps has windows of time, whose edges the collector records.
 *
 * With INTERCEPT_CAPTURE=trigger,light captures are the windows, and no process has detail before
 * the first one.
 *
 * Memory grows with processes.
 */
#ifndef REPORT_CORE_DETAIL_H
#define REPORT_CORE_DETAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/session/source.h"

struct detail_process {
	bool is_off;       /* now */
	bool was_off;      /* at some time */
	uint64_t since_ns; /* of the window that is open, or was the last one */
	bool is_in_step;
	uint64_t step_ns; /* the current step began */
	/* of windows of time, up to the first step */
	bool by_time, time_is_over;
	uint64_t from_ns, to_ns; /* all of that time; to_ns: if it is over */
	uint64_t on_ns;          /* of the windows that have ended */
	uint64_t windows;        /* that have begun */
	uint64_t number;         /* the last step of detail_take_window() */
	/* steps that ended and count, those that have detail, these up to the first window's end */
	uint64_t steps, detailed, first_detailed;
};

/* All zeros is a new object. */
struct detail {
	struct detail_process *process; /* by index */
	size_t room;
	uint64_t steps, detailed; /* of all processes */
	uint64_t until_ns;        /* the first window of any process ended; 0: none has */
	uint64_t captures;        /* windows of INTERCEPT_CAPTURE=trigger,light that have begun */
	const struct source *source; /* says whether that is set; NULL: it is not */
	enum detail_kind { DETAIL_UNKNOWN, DETAIL_OF_BUDGET, DETAIL_OF_CAPTURES } kind;
};

/* INTERCEPT_CAPTURE=trigger,light. Known as soon as the first event of a program is read. */
bool detail_is_of_captures(const struct detail *detail);

void detail_release(struct detail *detail);
/* A window begins or ends. */
void detail_take(struct detail *detail, uint32_t process, uint64_t time_ns, bool begins);
/*
 * The same for a window of time; `start_ns`: the process began to be recorded. Returns false if
 * nothing changes, because steps decide.
 */
bool detail_take_time(struct detail *detail, uint32_t process, uint64_t start_ns, uint64_t time_ns,
		      bool begins);
/*
 * The same for a window that says at which step it begins or ends. Segments of a file repeat the
 * last such event of each thread, which changes nothing.
 */
void detail_take_window(struct detail *detail, uint32_t process, uint64_t time_ns, bool begins,
			uint64_t step);
/* A step ends, and the next one begins. */
void detail_take_step(struct detail *detail, uint32_t process, uint64_t time_ns, bool counts);

/*
 * Steps of processes that were without detail at some time: of the others, as of those that use no
 * GPU, it is not known whether they have windows.
 */
struct detail_steps {
	uint64_t steps, detailed, first_detailed; /* as in struct detail_process */
};
struct detail_steps detail_steps_of_windows(const struct detail *detail);

/* Returns whether the process has had detail without a break since that time. */
bool detail_covers(const struct detail *detail, uint32_t process, uint64_t from_ns);
/* Time with detail, and all time, up to `end_ns`, of a process with windows of time; else zeros. */
struct detail_time {
	uint64_t on_ns, all_ns, windows;
};
struct detail_time detail_time_of(const struct detail *detail, uint32_t process, uint64_t end_ns);

/* Returns whether the process has had detail all the time so far. */
bool detail_is_unbroken(const struct detail *detail, uint32_t process);

#endif
