/* SPDX-License-Identifier: MIT */
/*
 * Filters of system calls (seccomp) that were in force before the program started. One that refuses
 * a call is met by trying; one that kills cannot be asked, so a process of its own tries.
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
