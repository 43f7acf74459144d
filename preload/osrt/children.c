/* SPDX-License-Identifier: MIT */
/* Waits for child processes. The object is the pid that the program asked for, 0: any child. */
#include "preload/osrt/wait.h"

#include <sys/wait.h>

/* A negative number is a process group, or any child. */
static inline uint64_t child_asked(pid_t child)
{
	return child > 0 ? (uint64_t)child : 0;
}

#define CHILD_HOOK(type, name, parameters, arguments, of) \
	OSRT_HOOK(type, name, parameters, arguments, child, of, 0, OSRT_ERRNO, osrt_missing())

CHILD_HOOK(pid_t, wait, (int *status), (status), 0)
CHILD_HOOK(pid_t, waitpid, (pid_t child, int *status, int options), (child, status, options),
	   child_asked(child))
CHILD_HOOK(int, waitid, (idtype_t kind, id_t child, siginfo_t *about, int options),
	   (kind, child, about, options), kind == P_PID ? child : 0)
CHILD_HOOK(pid_t, wait3, (int *status, int options, struct rusage *usage), (status, options, usage),
	   0)
CHILD_HOOK(pid_t, wait4, (pid_t child, int *status, int options, struct rusage *usage),
	   (child, status, options, usage), child_asked(child))
