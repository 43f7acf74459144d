/* SPDX-License-Identifier: MIT */
/*
 * Watches one process for its end, and finds out how it ended. It uses a pidfd. If there is none
 * (gVisor, seccomp, no free descriptor), it uses /proc/PID/stat and the start time there, and
 * without /proc, kill(pid, 0). It never waits and is never the parent.
 */
#ifndef COLLECTOR_PROCESSES_WATCH_H
#define COLLECTOR_PROCESSES_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#define WATCH_STATUS_UNKNOWN INT32_MIN

struct watch {
	uint32_t pid;         /* as the collector sees it */
	int fd;               /* pidfd, -1: none */
	uint64_t start_ticks; /* 0: unknown */
};

/* `fd`: a pidfd that the watch takes over, 0: it opens one. */
void watch_init(struct watch *watch, uint32_t pid, int fd);
void watch_release(struct watch *watch);

/* Makes no system call that waits; with a pidfd it polls it. */
bool watch_is_over(const struct watch *watch);

/* For a process that is over: its status in the form of wait(2), or WATCH_STATUS_UNKNOWN. */
int watch_wait_status(const struct watch *watch);

#endif
