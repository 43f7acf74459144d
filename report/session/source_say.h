/* SPDX-License-Identifier: MIT */
/*
 * Lines on stderr about a source that has been read: its damage, and the missing parts of its
 * session.
 */
#ifndef REPORT_SESSION_SOURCE_SAY_H
#define REPORT_SESSION_SOURCE_SAY_H

#include <stdbool.h>

#include "report/session/source.h"

/*
 * Prints one line about faults of files whose rest has been shown; the others are for `check`.
 * False: there are none.
 */
bool source_say_faults(struct source *source);
/* Reports files and ranks of the session that were not found. */
void source_say_missing(const struct source *source);

#endif
