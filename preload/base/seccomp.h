/* SPDX-License-Identifier: MIT */
/*
 * Filters of system calls (seccomp) that were in force before the program started. A filter that
 * refuses a call is found by making the call. A filter that kills the caller is found by letting
 * a child process make it.
 */
#ifndef PRELOAD_SECCOMP_H
#define PRELOAD_SECCOMP_H

#include <stdbool.h>

/*
 * True when the call, here with no valid argument, ends the process, and where that cannot be found out.
 * Without a filter it costs one file of /proc; with one (every container) a fork. Leaves no child behind,
 * sends no SIGCHLD, keeps errno. In the program's start, under no lock.
 */
bool seccomp_kills(long number);

#endif
