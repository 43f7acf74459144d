/* SPDX-License-Identifier: MIT */
/* Sleeps, and waits for signals. All are cancellation points. */
#include "preload/osrt/wait.h"

#define SLEEP_HOOK(type, name, parameters, arguments, error, missing) \
	OSRT_HOOK(type, name, parameters, arguments, none, 0, 0, error, missing)

SLEEP_HOOK(int, nanosleep, (const struct timespec *time, struct timespec *left), (time, left),
	   OSRT_ERRNO, osrt_missing())
SLEEP_HOOK(int, clock_nanosleep,
	   (clockid_t clock, int flags, const struct timespec *time, struct timespec *left),
	   (clock, flags, time, left), OSRT_RETURNED, ENOSYS)
SLEEP_HOOK(int, usleep, (useconds_t time), (time), OSRT_ERRNO, osrt_missing())
/* It returns the seconds that are left when a signal came. */
SLEEP_HOOK(unsigned int, sleep, (unsigned int time), (time), result ? EINTR : 0, time)
SLEEP_HOOK(int, pause, (void), (), OSRT_ERRNO, osrt_missing())
SLEEP_HOOK(int, sigsuspend, (const sigset_t *mask), (mask), OSRT_ERRNO, osrt_missing())
SLEEP_HOOK(int, sigwait, (const sigset_t *set, int *signal), (set, signal), OSRT_RETURNED, ENOSYS)
SLEEP_HOOK(int, sigwaitinfo, (const sigset_t *set, siginfo_t *about), (set, about), OSRT_ERRNO,
	   osrt_missing())
SLEEP_HOOK(int, sigtimedwait, (const sigset_t *set, siginfo_t *about, const struct timespec *time),
	   (set, about, time), OSRT_ERRNO, osrt_missing())
