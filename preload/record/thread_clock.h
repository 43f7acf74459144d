/* SPDX-License-Identifier: MIT */
/*
 * Was the thread running? Its CPU time (CLOCK_THREAD_CPUTIME_ID) is read at the edges of steps,
 * captures, ranges and operators. Two readings tell how long the thread ran in between.
 *
 * A reading is a system call. So at edges of ranges and operators the clock is read only if
 * thread_clock_interval or more has passed since the thread's last reading. All other edges cost
 * one compare with a time that they record anyway. The reading stands in the ring before its edge
 * and has the edge's time.
 *
 * The interval is THREAD_CLOCK_SHARE times the cost of a reading on this machine, so that readings
 * take at most a quarter of a per cent of the thread's time. It is at least THREAD_CLOCK_TICKS and
 * at most THREAD_CLOCK_LONGEST times that: 0.06 to 2 ms. A longer wait is seen in the operator,
 * range or step that it was in. Shorter waits are seen as a sum over several edges.
 *
 * Any thread, signal handlers too; no lock, no allocation. errno is preserved. If the kernel
 * refuses a reading, the thread never tries again.
 */
#ifndef PRELOAD_RECORD_THREAD_CLOCK_H
#define PRELOAD_RECORD_THREAD_CLOCK_H

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/record/recorder.h"

/* 60 to 130 us with a TSC of 2 to 4 GHz. Only the collector knows the exact rate. */
#define THREAD_CLOCK_TICKS (1u << 18)
#define THREAD_CLOCK_NS 100000u /* if ticks are nanoseconds */
#define THREAD_CLOCK_LONGEST 16u
#define THREAD_CLOCK_SHARE 400u

/* In ticks. */
PRELOAD_HIDDEN extern uint64_t thread_clock_interval;

/* Measures the cost of a reading. Call before recording begins. */
PRELOAD_HIDDEN void thread_clock_begin(void);

/* CPU time of this thread; 0 if it cannot be read. */
static inline uint64_t thread_clock_ns(void)
{
	struct timespec cpu = { 0, 0 };
	int saved = errno;

	/* not clock_gettime(), because the program may define its own */
	if (syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &cpu))
		cpu = (struct timespec){ 0, 0 };
	errno = saved;
	return (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
}

/* Reads the clock into the lane, which is being written. Returns the current time in ticks. */
PRELOAD_HIDDEN uint64_t thread_clock_read(struct recorder_lane *lane);

/* Returns the time for an edge at `ticks`. Hot: a compare. */
static inline uint64_t thread_clock_edge(struct recorder_lane *lane, uint64_t ticks)
{
	if (__builtin_expect(ticks >= recorder_self.clock_due, 0))
		return thread_clock_read(lane);
	return ticks;
}

/*
 * For rare edges that always read the clock: enters and leaves by itself. Does nothing while all
 * gates are shut.
 */
PRELOAD_HIDDEN void thread_clock_record(void);

#endif
