/* SPDX-License-Identifier: MIT */
/*
 * Which process an entry of the process table means, and whether it is one of ours.
 *
 * A pid that a process has read itself is another one here when it lives in a pid namespace of its own
 * (unshare --pid, a sandbox). And the table may have been scribbled over: a process that does not map
 * the region is not one of ours, or no longer, and nobody waits for it.
 */
#ifndef COLLECTOR_PROCESSES_NAMESAKE_H
#define COLLECTOR_PROCESSES_NAMESAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/processes/maps.h"

/* What the entry says, and what is known of the one that forked it. */
struct namesake_claim {
	uint32_t pid;
	bool here;  /* the parent is known by the same number here: one pid namespace */
	bool first; /* it started us */
	uint64_t
		stack_start; /* the parent's, 0 when unknown: a forked child has the same until it execs */
};

/* The region's own marks. */
struct namesake_region {
	struct maps_file file;
	uint64_t start_ticks; /* of the collector: what it forked to record is not older */
};

enum namesake_kind {
	NAMESAKE_OURS, /* maps the region, or nothing can be known of it */
	NAMESAKE_LIKELY, /* a child of ours by all that is cheap to know: to be looked at when it lives on */
	NAMESAKE_LEFT,   /* it did map it: gone, or exec'd */
	NAMESAKE_NOBODY, /* another process, or in a namespace where it cannot be found */
};

struct namesake {
	enum namesake_kind kind;
	uint32_t pid; /* as the collector sees it; 0: NAMESAKE_NOBODY */
	bool moved;   /* from another namespace: its thread ids mean nothing here */
};

/* Of the region mapped at `base` by this process. Its file stays unknown where /proc does not say. */
struct namesake_region namesake_region_of(const void *base);

struct namesake namesake_find(const struct namesake_claim *claim,
			      const struct namesake_region *region);

#endif
