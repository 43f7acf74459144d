/* SPDX-License-Identifier: MIT */
/*
 * Why a rank is late: the line of the user's in which its loop spends more time a step than the
 * loops of the other ranks do, by samples. What all ranks do alike is no reason.
 */
#ifndef REPORT_ADVICE_LATE_RANK_H
#define REPORT_ADVICE_LATE_RANK_H

#include "report/advice/bottleneck.h"

struct late_rank {
	uint32_t process;     /* index */
	uint64_t steps;       /* of it */
	uint64_t other_steps; /* of all other ranks together */
	double waited_ns;     /* that another rank waits for it in a step */
};

/*
 * One that accounts for a large part of what the others wait; false: none does, or there are too
 * few samples.
 */
bool late_rank_line(const struct bottleneck *bottleneck, const struct late_rank *late,
		    struct step_line *ret_line, double *ret_excess_ns);

#endif
