/* SPDX-License-Identifier: MIT */
/*
 * Why a run holds nothing of a kind, as far as the recording tells: its settings, the filters, or that
 * there was nothing.
 */
#ifndef REPORT_CORE_WHY_EMPTY_H
#define REPORT_CORE_WHY_EMPTY_H

#include "report/core/analysis.h"
#include "report/table/table.h"

#define ABSENCE_BYTES 256

struct why_empty {
	char text[ABSENCE_BYTES]; /* one line, control characters written out */
};

/* Whether INTERCEPT_TRACE was without the family. */
bool why_empty_is_off(const struct run *run, enum evt_family family);
/* What INTERCEPT_CAPTURE limited the recording to, NULL when it did not or that is not known. */
const struct source_name *why_empty_capture(const struct run *run);
/* Of such a text, what INTERCEPT_SCHEDULE was; NULL when it was no schedule. */
const char *why_empty_schedule(const char *capture);
/* Whether INTERCEPT_CAPTURE limited the recording, as far as it is known. */
bool why_empty_is_limited(const struct run *run);
/* Whether the range that recording was limited to never opened. */
bool why_empty_is_whole(const struct run *run);
/* Why there is no event of the family that counts; returns ret_absence->text. */
const char *why_empty_explain(const struct run *run, enum evt_family family,
			      struct why_empty *ret_absence);

/* `what` and " within --process, --time": the filters that are set. */
void why_empty_name_filters(const struct run *run, const char *what, char text[ABSENCE_BYTES]);

#endif
