/* SPDX-License-Identifier: MIT */
/*
 * The GIL as an analysis of samples: for how long threads were seen with it, how long they waited for it, and how long others waited
 * while they had it. A look stands for the time since the one before, as waits of samples do; a moment of a process is held by
 * one thread only, the first that was seen with it (interpreters with a GIL each share that time). What a place is has
 * the analysis of samples.
 *
 * Recordings from before holders were told have waits only. Memory grows with threads and places.
 */
#ifndef REPORT_SAMPLES_GIL_EVENTS_H
#define REPORT_SAMPLES_GIL_EVENTS_H

#include "report/samples/sample_events.h"

struct gil_counts {
	uint64_t looks;      /* with it */
	uint64_t held_ns;    /* seen with it */
	uint64_t wait_ns;    /* waited for it */
	uint64_t blocked_ns; /* others waited while it was seen with it */
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
	uint64_t unknown_ns; /* waits where it is not known who had it */
	uint64_t *last_ns;   /* by thread */
	size_t last_room;
	uint64_t *held_until_ns; /* by process: up to there it is known who had it */
	size_t held_room;
	struct {
		const struct source_process *process;
		const struct source_thread *newest,
			*thread; /* the process' newest one at that time; who has it */
		uint64_t tid;
	} holder; /* that was looked for last: all who wait at one look have the same */
};

struct gil_options {
	uint32_t none;
};
ANALYSIS(gil, struct gil)

#endif
