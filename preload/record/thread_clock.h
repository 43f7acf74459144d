/* SPDX-License-Identifier: MIT */
/*
 * Was the thread running? Its CPU time (CLOCK_THREAD_CPUTIME_ID), read beside the edges of steps, captures, ranges
 * and operators, says so for the time between two readings.
 *
 * Reading it is a system call, so that of ranges and operators only those edges are read that come
 * thread_clock_interval or more after the thread's last reading: for others one compare with the time that they
 * are recorded with anyway. The reading stands in the ring before its edge and has the edge's time.
 * The interval is THREAD_CLOCK_SHARE times what a reading takes here, so that readings take a quarter of a per cent of
 * the thread's time at most, and within THREAD_CLOCK_TICKS and THREAD_CLOCK_LONGEST of these: 0.06 to 2 ms. A wait that
 * is longer is seen in the operator, range or step that it was in; of shorter ones their sum, over a few edges.
 *
 * Any thread, signal handlers too; no lock, no allocation. errno is preserved. Where the kernel refuses, the
 * thread never asks again.
 */
#ifndef PRELOAD_RECORD_THREAD_CLOCK_H
#define PRELOAD_RECORD_THREAD_CLOCK_H

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/record/recorder.h"

/* 60 to 130 us of TSCs of 2 to 4 GHz; their rate is the collector's business. */
#define THREAD_CLOCK_TICKS (1u << 18)
#define THREAD_CLOCK_NS 100000u /* where ticks are nanoseconds */
#define THREAD_CLOCK_LONGEST 16u
#define THREAD_CLOCK_SHARE 400u

/* In ticks. */
PRELOAD_HIDDEN extern uint64_t thread_clock_interval;

/* Before recording begins: measures what a reading takes. */
PRELOAD_HIDDEN void thread_clock_begin(void);

/* CPU time of this thread; 0: it cannot be read. */
static inline uint64_t thread_clock_ns(void)
{
	struct timespec cpu = { 0, 0 };
	int saved = errno;

	/* not clock_gettime(): the program may have one of its own */
	if (syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &cpu))
		cpu = (struct timespec){ 0, 0 };
	errno = saved;
	return (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
}

/* Reads the clock into the lane, which is being written; returns the time of now. */
PRELOAD_HIDDEN uint64_t thread_clock_read(struct recorder_lane *lane);

/* The time for an edge that comes at `ticks`. Hot: a compare. */
static inline uint64_t thread_clock_edge(struct recorder_lane *lane, uint64_t ticks)
{
	if (__builtin_expect(ticks >= recorder_self.clock_due, 0))
		return thread_clock_read(lane);
	return ticks;
}

/* For edges that are rare and always read: enters and leaves by itself. Nothing while all gates are shut. */
PRELOAD_HIDDEN void thread_clock_record(void);

#endif
