/* SPDX-License-Identifier: MIT */
/*
 * The collector inherits the filter of system calls (seccomp) that the program was started
 * under. A filter that refuses perf_event_open() is found by making the call. A filter that
 * kills the caller is found by letting a child process make it.
 */
#ifndef COLLECTOR_NATIVE_SECCOMP_H
#define COLLECTOR_NATIVE_SECCOMP_H

#include <stdbool.h>

/* Who asks for a perf event is killed, or that cannot be found out. Without a filter it costs one file of /proc. */
bool seccomp_kills_perf(void);

#endif
