/* SPDX-License-Identifier: MIT */
/*
 * The collector has the filter of system calls (seccomp) that the program was started under. One that refuses perf_event_open() is met by
 * trying; one that kills cannot be asked, so a process of its own tries.
 */
#ifndef COLLECTOR_NATIVE_SECCOMP_H
#define COLLECTOR_NATIVE_SECCOMP_H

#include <stdbool.h>

/* Who asks for a perf event is killed, or that cannot be found out. Without a filter it costs one file of /proc. */
bool seccomp_kills_perf(void);

#endif
