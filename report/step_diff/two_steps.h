/* SPDX-License-Identifier: MIT */
/*
 * Which two steps report step-diff compares: the ones that were asked for, else the slowest step
 * and the one of the same process whose duration is nearest to the median of its steps.
 *
 * Only the whole recording tells which these are. So its files are read once before the report
 * reads them, without waiting for more data.
 */
#ifndef REPORT_STEP_DIFF_TWO_STEPS_H
#define REPORT_STEP_DIFF_TWO_STEPS_H

#include "report/core/report.h"
#include "report/steps/steps.h"

enum two_steps_side { STEP_TYPICAL, STEP_SLOW, STEP_SIDES };

struct compared_step {
	uint64_t number, from_ns, to_ns;
	uint64_t ns[STEP_CATEGORY_LIMIT]; /* of the host: that of the GPU is not read */
};

struct two_steps {
	struct compared_step step[STEP_SIDES];
	bool are_known;
	char path[4096];       /* of the file of their process */
	uint32_t process, pid; /* process: its number in that file */
	uint64_t median_ns;    /* of the process's steps */
	uint64_t count;        /* of them */
	char problem[160];     /* why they are not known */
};

/* `request` has the options and the paths of the files. */
void two_steps_find(struct two_steps *two, const struct report_request *request);
/* Returns whether the event's process is theirs. */
bool two_steps_have(const struct two_steps *two, const struct source_process *process);

#endif
