/* SPDX-License-Identifier: MIT */
/*
 * This process's entry in the region's process table: claimed at start, by the parent before fork()
 * or, after a fork that went round libc, at the first event; and its end.
 *
 * Called from hooks, atfork handlers and the exit handler: no allocation, no lock.
 */
#ifndef PRELOAD_PROCESS_H
#define PRELOAD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/region/region.h"

enum process_lost {
	PROCESS_LOST_NO_RING,
	PROCESS_LOST_NESTED,
	PROCESS_LOST_EARLY,
};

/* The region to live in and the first process's entry in it. 0 or -errno (ENOSPC: table full). */
int process_begin(struct region_header *header, const struct region_shape *shape,
		  uint32_t *ret_entry);

/* Once: fork, thread and exit handlers. Must run in the constructor, so that our exit handler is the
 * last of all (exit handlers run in reverse order, ours is older than ld.so's). */
void process_install_handlers(void);

/* A forked child finds itself: takes an entry of its own and opens the recorder again. Leaves the
 * gates shut when there is no entry. */
void process_adopt(void);
/* Before that, where a record may have been interrupted: recorder_flee(). */
void process_flee(void);

/* A thread has got its first ring: its end will be noticed. */
void process_watch_thread(void);

uint32_t process_serial(uint32_t entry);
void process_count_lost(enum process_lost what);
void process_count_wait(void);

/*
 * The process ends with `status` in the way `how` (enum evt_end_how); waits at most one second for
 * the collector when `wait`. Only for the process itself: a vfork() child's call is nothing.
 * False when the collector has not moved at all in that second.
 */
bool process_end(int status, uint32_t how, bool wait);

#endif
