/* SPDX-License-Identifier: MIT */
/*
 * The clock of the records: the invariant TSC, or CLOCK_MONOTONIC where the TSC cannot be trusted.
 * One read an event boundary; not serialised, see design "Recording rules".
 */
#ifndef PRELOAD_BASE_CLOCK_H
#define PRELOAD_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <x86intrin.h>
#include "preload/base/hidden.h"

/* Set once by clock_init(), before any record. */
PRELOAD_HIDDEN extern bool clock_is_tsc;

/* Decides between the two: CPUID's invariant bit, and the kernel not having given the TSC up. */
void clock_init(void);

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts = { 0, 0 };

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Apart, so that the hooks have no room on the stack for it. */
static __attribute__((noinline, cold, unused)) uint64_t clock_ticks_of_kernel(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t clock_ticks(void)
{
	if (__builtin_expect(clock_is_tsc, 1))
		return __rdtsc();
	return clock_ticks_of_kernel();
}

#endif
