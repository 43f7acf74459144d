/* SPDX-License-Identifier: MIT */
/*
 * Captures on request (INTERCEPT_CAPTURE=trigger) as an analysis of a run: when each began and
 * ended, and who asked. A capture has a number in its file. It begins with the collector's record
 * or with the first process that began to record for it, whichever is earlier: processes count
 * their steps themselves, and the collector learns of it a moment later.
 *
 * Memory grows with captures. To be used by one thread.
 */
#ifndef REPORT_CAPTURES_CAPTURES_H
#define REPORT_CAPTURES_CAPTURES_H

#include "report/core/analysis.h"

struct captured {
	uint32_t file; /* index */
	uint64_t number;
	uint32_t request;          /* index of the name of what was asked for; 0: not known */
	uint32_t from, how;        /* enum evt_capture_from, evt_capture_how; 0: not known */
	uint64_t begin_ns, end_ns; /* end_ns 0: it was under way when the recording ended */
	uint64_t stopped_ns;       /* when the last process stopped; 0: none has */
	bool is_recorded;          /* a process recorded something for it */
};

/* What the file had was copied into a file of its own, because a rule fired. */
struct kept_window {
	uint32_t request, file; /* indices of names; file 0: it could not be copied */
	uint64_t at_ns, from_ns, to_ns;
	int error; /* errno, or 0 */
};

struct captures {
	struct source *source;
	struct kept_window *kept;
	size_t kept_count, kept_room;
	struct captured *capture; /* by file and number */
	size_t count, room;
	uint64_t refused; /* requests that were not followed */
};

struct captures_options {
	char unused;
};
ANALYSIS(captures, struct captures)

/* Which windows were copied, and which could not be: a sentence, "" if there is none. */
#define CAPTURES_KEPT_BYTES 512
const char *captures_say_kept(const struct captures *captures, char text[CAPTURES_KEPT_BYTES]);
/* How many captures recorded something. */
size_t captures_recorded(const struct captures *captures);
/* The end of the capture, or of what is known of the run. */
uint64_t captured_end_ns(const struct captures *captures, const struct captured *capture);

#endif
