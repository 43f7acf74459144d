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

_Atomic bool capture_on;
static _Atomic bool gates_busy;
static _Atomic bool opened_due; /* the gates opened where `capture_opened` must not be called */
static _Atomic uint64_t capture_number;

static void tell_nobody(void)
{
}
static void (*capture_opened)(void) = tell_nobody;
static void (*capture_switched)(bool on);
static void (*capture_light)(bool on, const struct string *why, uint64_t number); /* NULL: none */

static void record_switch(bool on, const struct string *why)
{
	const struct recorder_field field[] = {
		{ .text = why },
		{ .number = atomic_load_explicit(&capture_number, memory_order_relaxed) },
	};

	thread_clock_record();
	if (!recorder_record(RECORDER_ANY, on ? EVT_capture_start : EVT_capture_stop, field, 2) &&
	    !on)
		/* the gates are shut already: recorder_shut_when_asked() */
		recorder_record_late(EVT_capture_stop, field, 2);
}

void capture_on_open(void (*opened)(void))
{
	capture_opened = opened;
}

void capture_on_switch(void (*switched)(bool on))
{
	capture_switched = switched;
}

void capture_reset(void)
{
	atomic_store(&capture_on, false);
	atomic_store(&gates_busy, false);
	capture_light = NULL;
	recorder_capture(false);
}

void capture_set_light(void (*change)(bool on, const struct string *why, uint64_t number))
{
	capture_light = change;
}

void capture_begin_light(void)
{
	recorder_capture(true);
	capture_opened();
}

void capture_always(void)
{
	atomic_store(&capture_on, true);
	recorder_capture(true);
	capture_opened();
}

bool capture_is_light(void)
{
	return capture_light;
}

/* Returns true if the gates have opened: then capture_opened() is to be called. */
static bool gates_switch(bool on, const struct string *why)
{
	if (atomic_exchange(&capture_on, on) == on)
		return false;
	if (capture_light) {
		capture_light(on, why, atomic_load(&capture_number));
	} else {
		if (on)
			recorder_capture(true);
		record_switch(on, why);
		if (!on)
			recorder_capture(false);
	}
	if (capture_switched)
		capture_switched(on);
	return on;
}

void capture_switch(bool on, const struct string *why)
{
	if (gates_switch(on, why))
		capture_opened();
}

static bool gates_follow(bool (*wanted)(void), const struct string *why)
{
	bool on, has_opened = false;

	do {
		if (atomic_exchange(&gates_busy, true))
			return has_opened;
		on = wanted();
		has_opened |= gates_switch(on, why);
		/* a thread may have shut them, to look */
		recorder_capture(on || capture_light);
		atomic_store(&gates_busy, false);
		/* the question comes later: who found them busy may know more */
		atomic_thread_fence(memory_order_seq_cst);
	} while (wanted() != on);
	return has_opened;
}

void capture_follow(bool (*wanted)(void), const struct string *why)
{
	if (gates_follow(wanted, why))
		capture_opened();
}

void capture_follow_within_malloc(bool (*wanted)(void), const struct string *why)
{
	if (gates_follow(wanted, why))
		atomic_store(&opened_due, true);
}

void capture_catch_up(void)
{
	if (atomic_load_explicit(&opened_due, memory_order_relaxed) &&
	    atomic_exchange(&opened_due, false))
		capture_opened();
}

void capture_set_number(uint64_t number)
{
	atomic_store_explicit(&capture_number, number, memory_order_relaxed);
}

void capture_forked(void)
{
	atomic_store(&gates_busy, false);
}
