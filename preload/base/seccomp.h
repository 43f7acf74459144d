/* SPDX-License-Identifier: MIT */
/*
 * Examines the seccomp filters that were in force before the program started. A filter that refuses
 * a call is found by making the call. A filter that kills the caller is found by letting a child
 * process make the call.
 */
#ifndef PRELOAD_SECCOMP_H
#define PRELOAD_SECCOMP_H

#include <stdbool.h>

/*
 * True if the system call `number`, made here without valid arguments, would end the process, or if
 * that cannot be found out. Without a filter this reads one file in /proc; with a filter (every
 * container) it forks. It leaves no child behind, sends no SIGCHLD and preserves errno. Call at the
 * program's start, with no lock held.
 */
bool seccomp_kills(long number);

#endif
