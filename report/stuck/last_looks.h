/* SPDX-License-Identifier: MIT */
/*
 * Where each thread was seen last, by samples of Python stacks, and since when nothing about that
 * has changed: the same line, reached by the same calls, and next to no CPU time.
 *
 * Also when the last step of each process began. Threads and processes are indices of the source;
 * times are ns. Memory grows with threads and processes. To be used by one thread.
 */
#ifndef REPORT_STUCK_LAST_LOOKS_H
#define REPORT_STUCK_LAST_LOOKS_H

#include "report/samples/sample_events.h"

struct last_look {
	const struct source_thread *thread; /* NULL: it was not sampled */
	uint64_t place;                     /* as sample_place_key() has it */
	enum evt_python_state state;
	uint32_t call;   /* number of the system call plus 1; 0: none, or not known */
	uint32_t holder; /* tid of the thread that had the GIL that it waits for; 0: not known */
	uint32_t owner;  /* tid of the thread that had the mutex that it waits for; 0: not known */
	uint64_t other_place; /* the line of that thread; 0: not known */
	uint64_t time_ns;     /* of the look */
	uint64_t place_ns;    /* it has been at this place since then */
	uint64_t still_ns;    /* the same, and without CPU time */
};

struct last_step {
	const struct source_process *process; /* NULL: it has no steps */
	uint64_t number;                      /* of the step that began last */
	uint64_t begin_ns;
	uint64_t
		/* of those that ended; the first one does not count, unless it is the only one */
		longest_ns;
	uint64_t ended;
	uint32_t thread; /* that marked the step */
};

struct last_looks {
	struct last_look *look; /* by thread */
	size_t look_count, look_room;
	struct last_step *step; /* by process */
	size_t step_count, step_room;
	uint64_t *seen_ns; /* by process: its last look; 0: none */
	size_t seen_count, seen_room;
};

struct last_looks_options {
	uint32_t none;
};
ANALYSIS(last_looks, struct last_looks)

/* NULL: there is none. */
const struct last_look *last_look_of(const struct last_looks *looks, uint32_t thread);
const struct last_step *last_step_of(const struct last_looks *looks, uint32_t process);
/* Until when the process was watched: its last look; 0: none. */
uint64_t last_looks_seen_ns(const struct last_looks *looks, uint32_t process);

#endif
