/* SPDX-License-Identifier: MIT */
/*
 * Which process is meant by a pid that a process has read itself: in a pid namespace of its own
 * (unshare --pid, a sandbox) its number is another one here, and its number here is another process.
 */
#ifndef COLLECTOR_NAMESAKE_H
#define COLLECTOR_NAMESAKE_H

#include <stdbool.h>
#include <stdint.h>

struct namesake {
	uint32_t pid; /* as the collector sees it; 0: it cannot be found */
	bool moved;   /* from another namespace: its thread ids mean nothing here */
};

/* The process says it is `pid`, child of `parent_pid`, and maps the memfd of that inode (0: unknown). */
struct namesake namesake_find(uint32_t pid, uint32_t parent_pid, uint64_t region_inode);

#endif
