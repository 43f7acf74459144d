/* SPDX-License-Identifier: MIT */
/*
 * What the tables of CUDA calls do not say by themselves, one line each: graph launches, calls outside of
 * ranges on threads that have none, failures. For people only.
 */
#ifndef REPORT_CUDA_NOTES_CUDA_H
#define REPORT_CUDA_NOTES_CUDA_H

#include "report/table/export.h"
#include "report/core/work.h"
#include "report/cuda/cuda.h"

/* What the lines are about. */
struct notes {
	const struct cuda *cuda;
	const struct run *run;
	const struct works *works; /* with nvtx_ranges; NULL: the rows are not by range */
};

/* "100 graph launches: what ..."; `what` is what a graph replays without a call. */
void notes_print_graphs(const struct notes *notes, const struct screen *screen, const char *what);
/* With --by range: the thread that makes the most of `total` calls of `what` outside of any. */
void notes_print_outside(const struct notes *notes, const struct screen *screen, const char *what,
			 uint64_t total);
/* Calls that had not returned when their process ended. */
void notes_print_unfinished(const struct notes *notes, const struct screen *screen);
/* Which functions failed with which codes. */
void notes_print_failures(const struct notes *notes, const struct screen *screen);

#endif
