/* SPDX-License-Identifier: MIT */
/* Clocks of the kernel in nanoseconds. */
#ifndef COLLECTOR_CORE_CLOCK_H
#define COLLECTOR_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_read_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
