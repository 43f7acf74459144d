/* SPDX-License-Identifier: MIT */
/*
 * See capture.h. A switch opens the gates before its start is recorded, and shuts them after its
 * stop is. In capture_follow() one thread sets the gates and asks again until they are as wanted;
 * others leave it to that one.
 */
#include "preload/record/capture.h"

#include <stdatomic.h>

#include "preload/record/event.h"
#include "preload/record/thread_clock.h"

static _Atomic bool capture_on;
static _Atomic bool gates_busy;

static void tell_nobody(void)
{
}
static void (*capture_opened)(void) = tell_nobody;

static void record_switch(bool on, const struct string *why)
{
	const struct recorder_field field = { .text = why };

	thread_clock_record();
	(void)recorder_record(RECORDER_ANY, on ? EVT_capture_start : EVT_capture_stop, &field, 1);
}

void capture_on_open(void (*opened)(void))
{
	capture_opened = opened;
}

void capture_reset(void)
{
	atomic_store(&capture_on, false);
	atomic_store(&gates_busy, false);
	recorder_capture(false);
}

void capture_always(void)
{
	atomic_store(&capture_on, true);
	recorder_capture(true);
	capture_opened();
}

bool capture_is_on(void)
{
	return atomic_load_explicit(&capture_on, memory_order_relaxed);
}

void capture_switch(bool on, const struct string *why)
{
	if (atomic_exchange(&capture_on, on) == on)
		return;
	if (on)
		recorder_capture(true);
	record_switch(on, why);
	if (on)
		capture_opened();
	else
		recorder_capture(false);
}

void capture_follow(bool (*wanted)(void), const struct string *why)
{
	bool on;

	do {
		if (atomic_exchange(&gates_busy, true))
			return;
		on = wanted();
		capture_switch(on, why);
		atomic_store(&gates_busy, false);
	} while (wanted() != on);
}

void capture_forked(void)
{
	atomic_store(&gates_busy, false);
}
