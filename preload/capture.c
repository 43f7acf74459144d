/* SPDX-License-Identifier: MIT */
/* See capture.h. */
#include "preload/capture.h"

#include <stdatomic.h>

#include "preload/recorder.h"

static _Atomic bool capture_on;

void capture_record(bool on, const struct string *why)
{
	struct recorder_lane *lane = NULL;

	for (unsigned int family = 0; family < RECORDER_FAMILIES && !lane; family++)
		lane = recorder_enter(family, RECORDER_IN_RECORD);
	if (lane) {
		uint64_t field = string_id(why, lane);

		(void)recorder_put(lane, on ? EVT_capture_start : EVT_capture_stop, recorder_now(),
				   &field, 1);
		recorder_leave(lane);
	}
}

void capture_switch(bool on, const struct string *why)
{
	if (atomic_exchange(&capture_on, on) == on)
		return;
	if (on)
		recorder_capture(true);
	capture_record(on, why);
	if (!on)
		recorder_capture(false);
}
