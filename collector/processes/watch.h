/* SPDX-License-Identifier: MIT */
/*
 * Watches one process for its end, and asks how it ended: by a pidfd, or by /proc/PID/stat and its
 * start time where there is none (gVisor, seccomp, no descriptors left), or by kill(pid, 0) without
 * /proc. Never waits, is never a parent.
 */
#ifndef COLLECTOR_PROCESSES_WATCH_H
#define COLLECTOR_PROCESSES_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#define WATCH_STATUS_UNKNOWN INT32_MIN

struct watch {
	uint32_t pid;         /* as the collector sees it */
	int fd;               /* pidfd, -1 when there is none */
	uint64_t start_ticks; /* 0: not known */
};

/* `fd`: a pidfd of it that the watch takes over, 0: it opens one. */
void watch_init(struct watch *watch, uint32_t pid, int fd);
void watch_release(struct watch *watch);

/* No system call that waits; with a pidfd a poll() of it. */
bool watch_is_over(const struct watch *watch);

/* Of a process that is over: its status as wait(2) gives it, or WATCH_STATUS_UNKNOWN. */
int watch_wait_status(const struct watch *watch);

#endif
