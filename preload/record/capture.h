/* SPDX-License-Identifier: MIT */
/*
 * Capture ranges (INTERCEPT_CAPTURE, INTERCEPT_SCHEDULE): the recorder's gates are open while at
 * least one is open. capture_range.c, cuda.c and steps.c decide when; this file sets the gates,
 * records that, and calls those who want to know.
 *
 * Any thread, signal handlers too; no lock, no allocation.
 */
#ifndef PRELOAD_RECORD_CAPTURE_H
#define PRELOAD_RECORD_CAPTURE_H

#include <stdbool.h>

#include "preload/record/strings.h"

/* Once, in the constructor: whom to call when the gates have opened. */
void capture_on_open(void (*opened)(void));

/* Before the recorder is opened: gates shut, as if for the first time. */
void capture_reset(void);
/* Everything is recorded from now on; no record is made of that. */
void capture_always(void);

/* Opens the gates and records it (EVT_capture_start, through whichever family has its gate open); or records
 * it, then shuts them. Nothing when it is so already. */
void capture_switch(bool on, const struct string *why);
/* The same, by what `wanted` answers, which other threads may change meanwhile: one thread at a time sets
 * the gates, and looks again afterwards; the others leave it to that one. */
void capture_follow(bool (*wanted)(void), const struct string *why);
bool capture_is_on(void);

/* In a forked child: another thread may have been about to set the gates, and is not here. */
void capture_forked(void);

#endif
