/* SPDX-License-Identifier: MIT */
/*
 * Capture ranges (INTERCEPT_CAPTURE, INTERCEPT_SCHEDULE): the recorder's gates are open while one is. Who decides is
 * nvtx_capture.c, cuda.c or steps.c; this sets the gates and records that it did.
 */
#ifndef PRELOAD_CAPTURE_H
#define PRELOAD_CAPTURE_H

#include <stdbool.h>

#include "preload/recorder.h"
#include "preload/strings.h"

/* A lane for a record of no family in particular: that of whichever has its gate open. Held IN_RECORD,
 * to be left; NULL when all are shut. */
struct recorder_lane *capture_lane(void);

/* Records EVT_capture_start or EVT_capture_stop through whichever family has its gate open. */
void capture_record(bool on, const struct string *why);

/* Opens the gates, then records it; or records it, then shuts them. Nothing when it is so already. */
void capture_switch(bool on, const struct string *why);
bool capture_is_on(void);
/* The recorder has been opened with its gates shut: as if for the first time. */
void capture_start(bool on, const struct string *why);

#endif
