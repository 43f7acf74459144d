/* SPDX-License-Identifier: MIT */
/*
 * Ranks of a distributed training side by side: how long each works on its own in a step, which of
 * them is the last to arrive at collectives, and whether one of them holds the others up.
 *
 * A rank's own time in a step is the step without its communication (as report steps has it): what
 * a rank waits for the others is communication. The first step of each rank is left out. The score
 * is the best rank's median own time divided by the rank's.
 *
 * A straggler is said only where one rank alone stands out: its median own time is at least
 * RANK_SLOW times the median of all others', and that of any other of which this holds, and, where
 * calls are matched, it is the last to arrive in more than half of them, and not by chance.
 *
 * Memory grows with steps. To be used by one thread, once all is read.
 */
#ifndef REPORT_RANKS_RANK_ROWS_H
#define REPORT_RANKS_RANK_ROWS_H

#include "report/steps/steps.h"
#include "report/torch/arrivals.h"

#define RANK_SLOW 1.1
#define RANK_STEPS_MIN 10u /* fewer are not enough to say anything */

struct rank_row {
	const struct source_process *process;
	uint64_t rank;
	const struct step_row **step; /* without the first; in the order of their numbers */
	size_t steps, room;
	uint64_t step_p50_ns, own_p50_ns;
	uint64_t own_first_ns,
		own_last_ns; /* medians of its first and its last tenth; 0: too few */
	uint64_t phase_p50_ns[STEP_PHASE_LIMIT], gc_ns;
	struct arrivals arrivals;
	double score;
};

struct rank_rows {
	struct rank_row *row; /* by rank */
	size_t count, room;
	/* SIZE_MAX: none stands out */
	size_t straggler;
	uint64_t others_p50_ns;    /* own time of the others: median of their medians */
	enum step_phase slower_in; /* the phase that differs most; of the straggler */
	uint64_t slower_ns;        /* by how much, in a median step */
	uint64_t since_step;       /* of the straggler: from this step on it is slow */
	double gain_percent;       /* what the steps of the job would take less, at most */
};

/* What a rank worked on its own in a step: without communication. */
uint64_t rank_own_ns(const struct step_row *step);

void rank_rows_make(struct rank_rows *rows, const struct source *source, const struct steps *steps,
		    const struct collectives *collectives);
void rank_rows_release(struct rank_rows *rows);

#endif
