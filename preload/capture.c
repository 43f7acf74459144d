/* SPDX-License-Identifier: MIT */
/* See capture.h. */
#include "preload/capture.h"

#include <stdatomic.h>

#include "preload/facts.h"
#include "preload/recorder.h"

static _Atomic bool capture_on;

struct recorder_lane *capture_lane(void)
{
	struct recorder_lane *lane = NULL;

	for (unsigned int family = 0; family < RECORDER_FAMILIES && !lane; family++)
		lane = recorder_enter(family, RECORDER_IN_RECORD);
	return lane;
}

void capture_record(bool on, const struct string *why)
{
	struct recorder_lane *lane = capture_lane();

	if (lane) {
		uint64_t field = string_id(why, lane);

		(void)recorder_put(lane, on ? EVT_capture_start : EVT_capture_stop, recorder_now(),
				   &field, 1);
		recorder_leave(lane);
	}
}

bool capture_is_on(void)
{
	return atomic_load_explicit(&capture_on, memory_order_relaxed);
}

void capture_start(bool on, const struct string *why)
{
	atomic_store(&capture_on, false);
	capture_switch(on, why);
}

void capture_switch(bool on, const struct string *why)
{
	if (atomic_exchange(&capture_on, on) == on)
		return;
	if (on)
		recorder_capture(true);
	capture_record(on, why);
	if (on)
		facts_tell();
	else
		recorder_capture(false);
}
