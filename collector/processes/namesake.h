/* SPDX-License-Identifier: MIT */
/*
 * Finds out which process an entry of the process table means, and whether it is one of ours.
 *
 * If a process lives in a pid namespace of its own (unshare --pid, a sandbox), its own pid is
 * different from its pid here. The table may also have been overwritten by the program. So a
 * process that does not map the region is not one of ours, or no longer, and nobody waits for it.
 */
#ifndef COLLECTOR_PROCESSES_NAMESAKE_H
#define COLLECTOR_PROCESSES_NAMESAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/processes/maps.h"

/* What the entry says, and what is known of its parent. */
struct namesake_claim {
	uint32_t pid;
	bool here;  /* the parent has the same number here: one pid namespace */
	bool first; /* it started us */
	/* the parent's, 0 if unknown: a forked child has the same until it calls exec */
	uint64_t stack_start;
};

/* What identifies the region. */
struct namesake_region {
	struct maps_file file;
	/* start of the collector: processes forked while recording are not older */
	uint64_t start_ticks;
};

enum namesake_kind {
	NAMESAKE_OURS, /* maps the region, or nothing can be known of it */
	/* a child of ours according to the cheap checks; to be checked fully if it lives on */
	NAMESAKE_LIKELY,
	NAMESAKE_LEFT,   /* it used to map the region: it is gone, or has called exec */
	NAMESAKE_NOBODY, /* another process, or in a namespace where it cannot be found */
};

struct namesake {
	enum namesake_kind kind;
	uint32_t pid; /* as the collector sees it; 0: NAMESAKE_NOBODY */
	bool moved;   /* from another namespace: its thread ids mean nothing here */
};

/* For the region mapped at `base` by this process. Its file is unknown if /proc does not say. */
struct namesake_region namesake_region_of(const void *base);

struct namesake namesake_find(const struct namesake_claim *claim,
			      const struct namesake_region *region);

#endif
