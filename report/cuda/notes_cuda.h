/* SPDX-License-Identifier: MIT */
/*
 * Lines below the tables of CUDA calls about what the tables do not show: graph launches, calls
 * outside of ranges on threads that have none, and failures. They are printed for people only, not
 * in JSON.
 */
#ifndef REPORT_CUDA_NOTES_CUDA_H
#define REPORT_CUDA_NOTES_CUDA_H

#include "report/table/export.h"
#include "report/core/work.h"
#include "report/cuda/cuda.h"

/* The subject of the lines. */
struct notes {
	const struct cuda *cuda;
	const struct run *run;
	const struct works *works; /* with nvtx_ranges; NULL: the rows are not by range */
};

/* Prints "100 graph launches: what ..."; `what` is the work that a graph replays without a call. */
void notes_print_graphs(const struct notes *notes, const struct screen *screen, const char *what);
/*
 * With --by range: names the thread that makes most of the calls outside of any range. `total` and
 * `what`: all such calls, and their name.
 */
void notes_print_outside(const struct notes *notes, const struct screen *screen, const char *what,
			 uint64_t total);
/* Calls that had not returned when their process ended. */
void notes_print_unfinished(const struct notes *notes, const struct screen *screen);
/* Which functions failed, and with which codes. */
void notes_print_failures(const struct notes *notes, const struct screen *screen);

#endif
