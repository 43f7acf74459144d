/* SPDX-License-Identifier: MIT */
/*
 * How the clocks of several hosts differ, from collectives: nobody leaves one before the last has
 * entered it. So each process' entry, by its own clock, is before each other process' exit.
 *
 * Only operations of which that is so are used: all_reduce, all_gather, reduce_scatter and barrier,
 * of backends that time them (gloo, MPI), and NCCL's kernels of them on the GPU. The n-th call of
 * one in each process is the same one if the processes have called it equally often, but for the
 * one that is under way at the end. If processes of one host contradict that, by their common
 * clock, several groups of ranks use the operation, and it is not used.
 *
 * Memory grows with calls. To be used by one thread, once all is read.
 */
#ifndef REPORT_CLOCKS_CLOCKS_H
#define REPORT_CLOCKS_CLOCKS_H

#include "report/clocks/clock_fit.h"
#include "report/torch/collectives.h"

struct clock_bounds {
	struct clock_bound *bound;
	size_t count, room;
};

struct clocks {
	const struct source *source;
	struct clock_bounds *of; /* by clock of the source; of the first one none */
	uint64_t refused;        /* operations that several groups of ranks use */
};

#endif
