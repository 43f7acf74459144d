/* SPDX-License-Identifier: MIT */
/*
 * Heap events of the last microsecond whose partner may still come, because the clocks of two
 * threads are not perfectly ordered: frees without a block, and blocks that another allocation has
 * displaced. Of fixed size: the oldest is dropped.
 */
#ifndef REPORT_BASE_RECENTS_H
#define REPORT_BASE_RECENTS_H

#include <stdbool.h>
#include <stdint.h>

#define RECENT_COUNT 16
#define RECENT_TOLERANCE_NS 1000 /* rdtsc is not serialised, see "Recording rules" in docs */

struct recent {
	uint64_t address, time_ns, size; /* address 0: already taken */
	uint32_t thread, row;
};

struct recents {
	struct recent entry[RECENT_COUNT];
	unsigned int count, next;
};

void recents_put(struct recents *recents, struct recent recent);
/*
 * Removes the entry of this address from another thread within the tolerance; false if there is
 * none.
 */
bool recents_take(struct recents *recents, uint64_t address, uint64_t time_ns, uint32_t thread,
		  struct recent *ret_recent);

#endif
