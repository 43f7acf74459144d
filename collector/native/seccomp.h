/* SPDX-License-Identifier: MIT */
/*
 * The collector inherits the seccomp filter under which the program was started. A filter that
 * refuses perf_event_open() is found by making the call. A filter that kills the caller is found by
 * letting a child process make it.
 */
#ifndef COLLECTOR_NATIVE_SECCOMP_H
#define COLLECTOR_NATIVE_SECCOMP_H

#include <stdbool.h>

/*
 * True if a process that calls perf_event_open() is killed, or if that cannot be found out. Without
 * a filter this reads one file in /proc.
 */
bool seccomp_kills_perf(void);

#endif
