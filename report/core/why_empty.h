/* SPDX-License-Identifier: MIT */
/*
 * Why a run has no events of a kind, as far as the recording tells: because of its settings,
 * because of the filters, or because the program did nothing of the kind.
 */
#ifndef REPORT_CORE_WHY_EMPTY_H
#define REPORT_CORE_WHY_EMPTY_H

#include "report/core/analysis.h"
#include "report/table/table.h"

#define ABSENCE_BYTES 256

struct why_empty {
	char text[ABSENCE_BYTES]; /* one line, control characters escaped */
};

/* Returns whether INTERCEPT_TRACE was without the family. */
bool why_empty_is_off(const struct run *run, enum evt_family family);
/*
 * Returns what INTERCEPT_CAPTURE limited the recording to; NULL: it was not limited, or that is not
 * known.
 */
const struct source_name *why_empty_capture(const struct run *run);
/* True if a program was sampled from outside, without the library (prof-report sample). */
bool why_empty_is_outside(const struct run *run);
/* Returns the INTERCEPT_SCHEDULE in such a text; NULL: it is no schedule. */
const char *why_empty_schedule(const char *capture);
/*
 * Returns whether INTERCEPT_CAPTURE limited the recording, as far as known, or INTERCEPT_KEEP_LAST
 * has given a part of it back.
 */
bool why_empty_is_limited(const struct run *run);
/* Returns whether the range to which the recording was limited never opened. */
bool why_empty_is_whole(const struct run *run);
/* Why no event of the family counts; returns ret_absence->text. */
const char *why_empty_explain(const struct run *run, enum evt_family family,
			      struct why_empty *ret_absence);

/* Writes `what` and " within --process, --time": the filters that are set. */
void why_empty_name_filters(const struct run *run, const char *what, char text[ABSENCE_BYTES]);

#endif
