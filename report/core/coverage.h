/* SPDX-License-Identifier: MIT */
/*
 * What of a run a report speaks of, in words: what INTERCEPT_CAPTURE let be recorded, and what "never
 * freed" means when not all of the run was seen.
 */
#ifndef REPORT_CORE_COVERAGE_H
#define REPORT_CORE_COVERAGE_H

#include "report/core/analysis.h"

#define COVERAGE_BYTES 256

struct coverage_text {
	char text[COVERAGE_BYTES]; /* one line, control characters written out */
};

/* "recorded: 32.0 ms of 4.65 s, ..."; NULL when all of the run was. Returns ret_text->text. */
const char *coverage_recorded(const struct run *run, struct coverage_text *ret_text);

/* How to describe memory that is live at the end of what was read. Returns ret_text->text. */
const char *coverage_still_live(const struct run *run, struct coverage_text *ret_text);

/* Why no range of the name that was asked for opened. Returns ret_text->text. */
const char *coverage_no_range(const struct run *run, struct coverage_text *ret_text);

#endif
