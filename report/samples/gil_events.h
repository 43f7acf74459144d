/* SPDX-License-Identifier: MIT */
/*
 * The GIL as an analysis of samples: how long threads were seen with it, how long they waited for
 * it, and how long others waited while they had it. A sample stands for the time since the previous
 * one, as for waits of samples. At each moment only one thread of a process holds it, the first
 * that was sampled with it (if several interpreters have a GIL each, they share that time). The
 * analysis of samples knows what a place is.
 *
 * Recordings of versions that did not record holders have waits only. Memory grows with threads and
 * places.
 */
#ifndef REPORT_SAMPLES_GIL_EVENTS_H
#define REPORT_SAMPLES_GIL_EVENTS_H

#include "report/samples/sample_events.h"

struct gil_counts {
	uint64_t looks;      /* with the GIL */
	uint64_t held_ns;    /* sampled with it */
	uint64_t wait_ns;    /* waited for it */
	uint64_t blocked_ns; /* others waited while it was sampled with it */
};

struct gil_row {
	const struct source_thread *thread; /* NULL: by place */
	uint64_t place;                     /* as in struct sample_row */
	struct gil_counts counts;
};

struct gil {
	struct samples *samples; /* by place */
	struct gil_row *row;     /* of threads, and of places */
	size_t row_count, row_room;
	struct map rows;
	struct gil_counts all;
	uint64_t unknown_ns; /* waits for which the holder is not known */
	uint64_t *last_ns;   /* by thread */
	size_t last_room;
	uint64_t *held_until_ns; /* by process: the holder is known up to this time */
	size_t held_room;
	struct {
		const struct source_process *process;
		/* the process' newest thread at that time; the thread that holds the GIL */
		const struct source_thread *newest, *thread;
		uint64_t tid;
		/*
		 * that was searched last: all threads that wait in one sample have the same holder
		 */
	} holder;
};

struct gil_options {
	uint32_t none;
};
ANALYSIS(gil, struct gil)

#endif
