/* SPDX-License-Identifier: MIT */
/*
 * Capture ranges (INTERCEPT_CAPTURE): the recorder's gates are open while one is. Who decides is
 * nvtx_capture.c or cuda.c; this sets the gates and records that it did.
 */
#ifndef PRELOAD_CAPTURE_H
#define PRELOAD_CAPTURE_H

#include <stdbool.h>

#include "preload/strings.h"

/* Records EVT_capture_start or EVT_capture_stop through whichever family has its gate open. */
void capture_record(bool on, const struct string *why);

/* Opens the gates, then records it; or records it, then shuts them. Nothing when it is so already. */
void capture_switch(bool on, const struct string *why);

#endif
