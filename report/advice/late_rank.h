/* SPDX-License-Identifier: MIT */
/*
 * Why a rank is late: the line of the user's code in which its loop spends more time per step than
 * the loop of any other rank, by samples. What another rank does as much is no reason.
 */
#ifndef REPORT_ADVICE_LATE_RANK_H
#define REPORT_ADVICE_LATE_RANK_H

#include "report/advice/bottleneck.h"

struct late_rank {
	uint32_t process;      /* index */
	const uint64_t *steps; /* of processes, by index */
	size_t processes;
	double waited_ns; /* time that another rank waits for it in a step */
};

/*
 * Finds a line that accounts for a large part of the others' wait; returns false if there is none,
 * or if there are too few samples.
 */
bool late_rank_line(const struct bottleneck *bottleneck, const struct late_rank *late,
		    struct step_line *ret_line, double *ret_excess_ns);

#endif
