/* SPDX-License-Identifier: MIT */
/*
 * Capture ranges (INTERCEPT_CAPTURE, INTERCEPT_SCHEDULE): the recorder's gates are open while at
 * least one range is open. capture_range.c, cuda.c and steps.c decide when. This file sets the
 * gates, records the change and calls the registered callback.
 *
 * Any thread, signal handlers too; no lock, no allocation.
 */
#ifndef PRELOAD_RECORD_CAPTURE_H
#define PRELOAD_RECORD_CAPTURE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "preload/base/hidden.h"
#include "preload/record/strings.h"

/* Sets the function to call when the gates have opened. Call once, in the constructor. */
void capture_on_open(void (*opened)(void));

/* Sets the function to call after each switch, by the thread that switches. */
void capture_on_switch(void (*switched)(bool on));

/* Call before the recorder is opened: the gates are shut, as at the start. */
void capture_reset(void);
/*
 * INTERCEPT_CAPTURE=trigger,light, after capture_reset(): the gates are open from
 * capture_begin_light() on, and a capture calls `change` in their place, which records that.
 */
void capture_set_light(void (*change)(bool on, const struct string *why, uint64_t number));
void capture_begin_light(void);
/* Everything is recorded from now on. No record is made of this change. */
void capture_always(void);

/*
 * on: opens the gates and records that (EVT_capture_start, through any family whose gate is open).
 * off: records it, then shuts the gates. Does nothing if the state is already so.
 */
void capture_switch(bool on, const struct string *why);
/*
 * Sets the gates to what `wanted` returns, which other threads may change meanwhile. One thread at
 * a time sets the gates and asks again afterwards; other threads leave it to that thread.
 */
void capture_follow(bool (*wanted)(void), const struct string *why);
/*
 * The same where malloc() may be running: the function of capture_on_open() is called later, by
 * capture_catch_up(), because it calls libraries whose locks the thread may hold.
 */
void capture_follow_within_malloc(bool (*wanted)(void), const struct string *why);
void capture_catch_up(void);
/* Sets the number that the next starts and stops are recorded with; 0: none. */
void capture_set_number(uint64_t number);
PRELOAD_HIDDEN extern _Atomic bool capture_on; /* only capture.c changes it */
/* A capture is under way. */
static inline bool capture_is_open(void)
{
	return atomic_load_explicit(&capture_on, memory_order_relaxed);
}
/* Between captures all is recorded but detail. */
bool capture_is_light(void);
/* The gates are open. */
static inline bool capture_is_on(void)
{
	return __builtin_expect(capture_is_open(), 1) || capture_is_light();
}

/* Call in a forked child: the thread that was setting the gates may not exist here. */
void capture_forked(void);

#endif
