/* SPDX-License-Identifier: MIT */
/*
 * Calls of input and output that take less than INTERCEPT_IO_MIN: the thread adds them up in its
 * block of the region, and records the sum (io_short) whenever it has reached that time. What is
 * left when the thread ends is recorded by the collector.
 *
 * Any thread, signal handlers too. No lock, no allocation, no system call.
 */
#ifndef PRELOAD_IO_SHORT_CALLS_H
#define PRELOAD_IO_SHORT_CALLS_H

#include "preload/record/recorder.h"
#include "preload/settings/settings.h"

/* Short calls are added up, so calls are not introduced before they are made. */
static inline bool short_calls_are_summed(void)
{
	return settings.io_min_ns != 0;
}

/*
 * In place of a descriptor whose short open was not recorded: readers may know its number as that
 * of an earlier file.
 */
#define IO_FD_UNKNOWN (-2)

/* A call that took `ticks` is below INTERCEPT_IO_MIN. */
bool short_calls_is_short(uint64_t ticks);
/*
 * Adds a call that ended at `now` and took `ticks`. Returns false if it is to be recorded: it was
 * long, or the thread's ring has no block for sums. `lane` was entered with RECORDER_IN_RECORD.
 */
bool short_calls_take(struct recorder_lane *lane, uint64_t now, uint64_t ticks);

#endif
