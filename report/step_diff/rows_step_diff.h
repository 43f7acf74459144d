/* SPDX-License-Identifier: MIT */
/* Two steps as rows of report step-diff, and what they say in all. */
#ifndef REPORT_STEP_DIFF_ROWS_STEP_DIFF_H
#define REPORT_STEP_DIFF_ROWS_STEP_DIFF_H

#include "report/core/report.h"
#include "report/samples/sample_events.h"
#include "report/step_diff/step_match.h"

enum step_part_kind { STEP_PART_SAME, STEP_PART_ADDITIONAL, STEP_PART_MISSING, STEP_PART_KINDS };

#define STEP_PART_BYTES 200u
struct step_diff_most { /* the part that is longer by most */
	int64_t longer_ns;
	enum step_part_kind kind;
	char part[STEP_PART_BYTES], line[STEP_PART_BYTES];
	uint64_t looks; /* samples of that line */
};

struct step_diff {
	const struct two_steps *two;
	const struct step_tracks *tracks;
	const struct samples *samples;
	struct source *source;
	const struct options *options;

	/* made by step_diff_fill() */
	int64_t longer_ns[STEP_PART_KINDS]; /* of all parts of that kind */
	uint64_t parts[STEP_PART_KINDS];
	struct step_diff_most most;
};

/* The parts' rows, in the order of the slow step, and the sums. */
void step_diff_fill(struct step_diff *diff, struct table *table);
/* How long the thread waited in a step; false: it is not known. */
bool step_diff_waited(const struct step_diff *diff, enum two_steps_side side, uint64_t *ret_ns);

#endif
