/* SPDX-License-Identifier: MIT */
/*
 * Words for the part of a run that a report covers: what INTERCEPT_CAPTURE let be recorded, and
 * what "never freed" means if not all of the run was seen.
 */
#ifndef REPORT_CORE_COVERAGE_H
#define REPORT_CORE_COVERAGE_H

#include "report/core/analysis.h"

#define COVERAGE_BYTES 576

struct coverage_text {
	char text[COVERAGE_BYTES]; /* one line, control characters escaped */
};

/* "recorded: 32.0 ms of 4.65 s, ..."; NULL: all of the run was recorded. Returns ret_text->text. */
const char *coverage_recorded(const struct run *run, struct coverage_text *ret_text);

/*
 * Whether work of the GPU without a recorded call belongs to no part of what is shown: not all of
 * the run was recorded, or is selected.
 */
bool coverage_needs_call(const struct run *run);

/*
 * The same, or which steps have detail (INTERCEPT_BUDGET): "recorded with detail: 214 of 9,800
 * steps ...". And in which steps the GPU was recorded (INTERCEPT_GPU_STEPS), if the run's analyses
 * read that.
 */
const char *coverage_said(const struct run *run, struct coverage_text *ret_text);

/* How to describe memory that is live at the end of what was read. Returns ret_text->text. */
const char *coverage_still_live(const struct run *run, struct coverage_text *ret_text);

/* Why no range of the selected name opened. Returns ret_text->text. */
const char *coverage_no_range(const struct run *run, struct coverage_text *ret_text);

#endif
