/* SPDX-License-Identifier: MIT */
/*
 * The clock of the records: the invariant TSC, or CLOCK_MONOTONIC where the TSC cannot be trusted.
 * It is read once at the start and once at the end of an event, without a serialising
 * instruction.
 *
 * The kernel's clocks are not read by clock_gettime(): the program may define its own, and so may
 * another preloaded library (libfaketime).
 */
#ifndef PRELOAD_BASE_CLOCK_H
#define PRELOAD_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "collector/arch/arch.h"
#include "preload/base/hidden.h"

/* Set once by clock_init(), before any record. */
PRELOAD_HIDDEN extern bool clock_is_tsc;

/*
 * Chooses the clock. The TSC is used if CPUID says it is invariant and the kernel has not given it
 * up.
 */
void clock_init(void);

/* The kernel's function in its vDSO once clock_init() has found it, until then a system call. */
PRELOAD_HIDDEN extern int (*clock_of_kernel)(clockid_t clock, struct timespec *ret_time);

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts = { 0, 0 };

	(void)clock_of_kernel(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Not inlined, so that the hooks do not reserve stack space for it. */
static __attribute__((noinline, cold, unused)) uint64_t clock_ticks_of_kernel(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t clock_ticks(void)
{
	if (__builtin_expect(clock_is_tsc, 1))
		return arch_ticks();
	return clock_ticks_of_kernel();
}

#endif
